import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { launchHere } from '../../src/adapters/git/launch-here.ts';
import type { LaunchEnd, LaunchSpec } from '../../src/ports/launch.ts';
import { startsElsewhere } from '../../src/adapters/processes/starter.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'convoy-starter-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const sh = (script: string, more: Partial<LaunchSpec> = {}): LaunchSpec => ({
  program: 'sh',
  args: ['-c', script],
  cwd: '/',
  env: { PATH: process.env['PATH'] ?? '' },
  mostBytes: 1024 * 1024,
  ...more,
});

const output = (end: LaunchEnd): string => (end.kind === 'ended' ? String(end.stdout) : end.kind);

const source = (name: string): string => join(import.meta.dirname, '../../src/adapters', name);

const parentOf = (pid: number): number =>
  Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

/** Starts programs until they are no longer our own children; the process that starts them. */
async function warmedUp(launch: ReturnType<typeof startsElsewhere>): Promise<number> {
  return vi.waitUntil(
    async () => {
      const parent = Number(output(await launch(sh('echo $PPID')).end));
      return parent === process.pid ? undefined : parent;
    },
    { timeout: 20_000, interval: 1 },
  );
}

test('programs that are started often are started by a small process, with the same outcome', async () => {
  const launch = startsElsewhere(process.execPath, launchHere);
  const where = folder();
  const parent = await warmedUp(launch);
  expect(parentOf(parent)).toBe(process.pid);
  const specs = [
    sh('echo out; echo err >&2; exit 3'),
    sh('cat; pwd; echo "$WORD"', {
      input: 'ü\0x',
      cwd: where,
      env: { PATH: '/usr/bin:/bin', WORD: 'secret' },
    }),
    sh('head -c 300000 /dev/zero'),
    sh('yes', { mostBytes: 1000 }),
    sh('kill -9 $$'),
    sh('true', { program: '/nowhere/git' }),
    sh('true', { cwd: join(where, 'gone') }),
    sh('exec <&-; true', { input: 'x'.repeat(500_000) }),
  ];
  for (const spec of specs) {
    const [here, there] = await Promise.all([launchHere(spec).end, launch(spec).end]);
    expect(there).toEqual(here);
  }
  // What they are given is theirs alone.
  expect(readFileSync(`/proc/${parent}/environ`, 'utf8')).toBe('');
  expect(readFileSync(`/proc/${parent}/cmdline`, 'utf8')).not.toContain('secret');
});

test('a program is ended with its children when nobody wants it any more', async () => {
  const launch = startsElsewhere(process.execPath, launchHere);
  const where = folder();
  await warmedUp(launch);
  const launched = launch(sh('sleep 300 & echo $! > child; wait', { cwd: where }));
  const child = await vi.waitUntil(() => Number(tryRead(join(where, 'child'))) || undefined);
  launched.kill();
  expect(await launched.end).toMatchObject({ kind: 'ended', code: null, signal: 'SIGKILL' });
  await vi.waitUntil(() => !isAlive(child));
});

test('when it dies, whoever waits is told, and the next program starts', async () => {
  const launch = startsElsewhere(process.execPath, launchHere);
  const parent = await warmedUp(launch);
  const where = folder();
  const waiting = launch(sh('echo $$ > pid; exec sleep 300', { cwd: where }));
  const pid = await vi.waitUntil(() => Number(tryRead(join(where, 'pid'))) || undefined);
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  process.kill(parent, 'SIGKILL');
  expect(await waiting.end).toMatchObject({ kind: 'not-started', code: 'EPIPE' });
  expect(output(await launch(sh('echo on')).end)).toBe('on\n');
  expect(await warmedUp(launch)).not.toBe(parent);
});

test('when we die it lets what runs come to its end, and goes', async () => {
  const where = folder();
  const script = join(where, 'engine.mjs');
  writeFileSync(
    script,
    `import { startsElsewhere } from ${JSON.stringify(source('processes/starter.ts'))};
import { launchHere } from ${JSON.stringify(source('git/launch-here.ts'))};
const launch = startsElsewhere(process.execPath, launchHere);
const spec = (text) => ({ program: 'sh', args: ['-c', text], cwd: ${JSON.stringify(where)}, env: { PATH: process.env.PATH }, mostBytes: 1000 });
for (;;) {
  const { stdout } = await launch(spec('echo $PPID')).end;
  if (Number(stdout) !== process.pid) break;
}
launch(spec('echo $PPID > starter.tmp; mv starter.tmp starter; while [ ! -e go ]; do sleep 0.02; done; echo done > ended'));
`,
  );
  const engine = spawn(process.execPath, [script], { stdio: 'ignore' });
  const starter = await vi.waitUntil(() => Number(tryRead(join(where, 'starter'))) || undefined, {
    timeout: 20_000,
  });
  const gone = once(engine, 'exit');
  engine.kill('SIGKILL');
  await gone;
  expect(isAlive(starter)).toBe(true);
  writeFileSync(join(where, 'go'), '');
  await vi.waitUntil(() => readdirSync(where).includes('ended') && !isAlive(starter), {
    timeout: 10_000,
  });
});

test('it goes after a rest, and begins again when it is needed', async () => {
  const launch = startsElsewhere(process.execPath, launchHere, 50);
  const parent = await warmedUp(launch);
  await vi.waitUntil(() => !isAlive(parent), { timeout: 10_000 });
  expect(await warmedUp(launch)).not.toBe(parent);
});

function tryRead(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
