import { describe, expect, test } from 'vitest';
import { FAMILY_SOURCE } from './wrapper-family.ts';

/** The text as it runs in the wrapper, on a made-up process table. */
function familyOf(program: { leader: number; forks: number | null }, proc: Record<string, string>) {
  const fs = {
    readdirSync: () => Object.keys(proc).map((file) => file.split('/')[2]),
    readFileSync: (file: string) => {
      const text = proc[file];
      if (text === undefined) throw new Error(`ENOENT ${file}`);
      return text;
    },
  };
  // oxlint-disable-next-line no-implied-eval, typescript/no-unsafe-type-assertion -- it is a program kept as text
  const inside = new Function('fs', 'process', `${FAMILY_SOURCE}; return { family };`) as (
    files: typeof fs,
    self: { pid: number },
  ) => { family: (of: object) => number[] };
  return inside(fs, { pid: 1 }).family({ since: 0, mark: '\0mark\0', ...program });
}

const stat = (session: number): string => `7 (name) S 1 7 ${session} ${'0 '.repeat(15)}5 0`;
const table = (last: number, forks: number): Record<string, string> => ({
  '/proc/loadavg': `0.1 0.2 0.3 1/90 ${last}\n`,
  '/proc/stat': `cpu 1 2 3\nprocesses ${forks}\n`,
  '/proc/sys/kernel/pid_max': '1000\n',
  '/proc/self/mountinfo': '22 1 0:21 / /proc rw - proc proc rw\n',
  '/proc/50/stat': stat(200),
  '/proc/200/stat': stat(200),
  '/proc/201/stat': stat(200),
  '/proc/202/stat': stat(9),
});

describe('what a program left behind', () => {
  test('has a higher number, while numbers go up', () => {
    expect(familyOf({ leader: 200, forks: 10_000 }, table(300, 10_400))).toEqual([200, 201]);
  });

  test('may have any number once they began again', () => {
    expect(familyOf({ leader: 200, forks: 10_000 }, table(60, 10_400))).toEqual([50, 200, 201]);
  });

  test('or may have begun again and gone past it', () => {
    expect(familyOf({ leader: 200, forks: 10_000 }, table(300, 10_600))).toEqual([50, 200, 201]);
  });

  test('or in a container that is shown the numbers of its host', () => {
    const host = '30 22 0:30 /proc/loadavg /proc/loadavg rw - fuse.lxcfs lxcfs rw\n';
    const proc = { ...table(300, 10_400), '/proc/self/mountinfo': host };
    expect(familyOf({ leader: 200, forks: 10_000 }, proc)).toEqual([50, 200, 201]);
  });

  test('or nobody says', () => {
    const { '/proc/stat': _, ...silent } = table(300, 0);
    expect(familyOf({ leader: 200, forks: null }, silent)).toEqual([50, 200, 201]);
  });
});
