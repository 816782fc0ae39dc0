import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeCli } from '../cli/rig.ts';

const NOTIFY = `
[notify.me]
sink = "command"
command = ["sh", "-c", "cat >> \\"$HOME/told\\"; echo >> \\"$HOME/told\\""]
`;
const AGENT = 'command = ["sh", "-c", "echo done > work.txt"]';

test('GT-176 a launch that is waited for tells its launch and its landing once, before it ends', async () => {
  const rig = await makeCli({ ready: true });
  rig.write(
    '.convoy/config.toml',
    rig
      .config()
      .replace('command = ["true"]', AGENT)
      .replace('[workspace]', '[workspace]\nnotify = ["me"]') + NOTIFY,
  );
  const task = await rig.task('Write it');
  const { convoy } = await rig.ok(['launch', task, '--wait']);
  expect(convoy.status).toBe('landed');
  const { notifications } = await rig.ok(['notifications']);
  expect(
    notifications.map(({ kind, deliveries }: never) => [kind, deliveries] as const),
  ).toMatchObject([
    ['landed', [{ target: 'me', status: 'delivered', tries: 1, error: null }]],
    ['launched', [{ target: 'me', status: 'delivered' }]],
  ]);
  const told = readFileSync(join(rig.root, 'home/told'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(told.map(({ kind }) => kind)).toEqual(['launched', 'landed']);
  const { commit } = told[1].facts.merged[0];
  expect(rig.git('cat-file', '-t', commit)).toBe('commit');
  expect(told[1].text).toContain(`${task} Write it ${String(commit).slice(0, 10)}`);

  const { stdout } = await rig.convoy(['notifications', '--target', 'me', '--status', 'delivered']);
  expect(stdout).toMatch(/Landed: .+, 1 task\n {2}me delivered\n/);
  const none = await rig.convoy(['notifications', '--status', 'dead']);
  expect(none.stdout).toBe('Nobody was told anything yet.\n');
});
