import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../rehearsal/rehearse-fixture.ts';
import { convoyIn } from './cli.ts';
import { repository, SERVICE, tempDir } from './temp.ts';

/** Never answers, so that it can be killed while it is waited for. */
const SILENT = { ...SERVICE, 'server.js': 'setInterval(() => {}, 1000);\n' };

async function place(path: string) {
  const scratch = join(path, 'scratch');
  mkdirSync(scratch);
  chmodSync(scratch, 0o711);
  const repo = repository(join(path, 'app'), SILENT);
  return { scratch, repo, convoy: await convoyIn(path, { TMPDIR: scratch }) };
}

/** Whether the service itself runs somewhere below a directory. */
const isServing = (base: string): boolean =>
  commandsIn(base).some(({ command }) => command.includes('server.js'));

function commandsIn(base: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1');
        const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
        const place = `${base}/convoy-rehearsal-`;
        const ours = environment.includes(place) || command.includes(place);
        return ours ? [{ pid: Number(name), command }] : [];
      } catch {
        return [];
      }
    });
}

/** What rehearsals left: copies and processes. */
const remains = (base: string): string[] => [
  ...readdirSync(base).filter((name) => name.startsWith('convoy-rehearsal-')),
  ...commandsIn(base).map(({ pid, command }) => `${pid} ${command}`),
];

test('DC-15 DC-37 kill -9 of an apply leaves no process, no port and no copy', async () => {
  using temp = tempDir();
  const { scratch, repo, convoy } = await place(temp.path);
  const started = convoy.start(repo, 'ship', '.', '--yes');
  await eventually(() => isServing(scratch));
  started.child.kill('SIGKILL');
  expect((await started.ended).signal).toBe('SIGKILL');
  await eventually(() => remains(scratch).length === 0);
  expect((await convoy.json(repo, 'runs')).body.runs[0].status).toBe('interrupted');
}, 180_000);

test('DC-15 DC-37 kill -9 of the daemon leaves nothing either, and the run can be resumed', async () => {
  using temp = tempDir();
  const { scratch, repo, convoy } = await place(temp.path);
  await convoy.json(repo, 'init');
  const up = await convoy.json(repo, 'up', '--detach');
  try {
    const started = convoy.start(repo, 'ship', '.', '--yes');
    await eventually(() => isServing(scratch));
    process.kill(up.body.pid, 'SIGKILL');
    await eventually(() => remains(scratch).length === 0);
    started.child.kill('SIGKILL');
    await started.ended;
    expect((await convoy.json(repo, 'runs')).body.runs[0].status).toBe('interrupted');
    const resumed = await convoy.json(repo, 'resume', '--no-real-rehearsal');
    expect(resumed).toMatchObject({ code: 0, body: { run: { status: 'succeeded' } } });
  } finally {
    await convoy.run(repo, 'down');
  }
}, 180_000);

test('DC-15 what stays when the watchdog is killed too is swept by the next command', async () => {
  using temp = tempDir();
  const { scratch, repo, convoy } = await place(temp.path);
  const started = convoy.start(repo, 'ship', '.', '--yes');
  await eventually(() => isServing(scratch));
  const watchdogs = commandsIn(scratch).filter(({ command }) =>
    command.includes('convoy-watchdog'),
  );
  expect(watchdogs).toHaveLength(1);
  for (const { pid } of watchdogs) process.kill(pid, 'SIGKILL');
  started.child.kill('SIGKILL');
  await started.ended;
  expect(remains(scratch).length).toBeGreaterThan(0);
  await convoy.json(repo, 'runs');
  expect(remains(scratch)).toEqual([]);
}, 180_000);
