import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verificationsOf } from '../../src/ledger/queries/verifications.ts';
import { enqueue, plantCommit } from '../engine/planted.ts';
import { engineRig, type EngineRig } from '../engine/rig.ts';

/** An origin that takes nothing for main until there is a file. */
function slowOrigin(rig: EngineRig): { bare: string; open: () => void } {
  const bare = rig.path('remote.git');
  const go = rig.path('go');
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', bare]);
  rig.git('remote', 'add', 'origin', bare);
  rig.git('push', '--quiet', 'origin', 'main');
  const hook = join(bare, 'hooks/pre-receive');
  writeFileSync(hook, `#!/bin/sh\nwhile [ ! -e '${go}' ]; do sleep 0.05; done\n`);
  chmodSync(hook, 0o755);
  return { bare, open: () => writeFileSync(go, '') };
}

const planted = (rig: EngineRig, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    task: `web-p${n}`,
    head: plantCommit(rig, `file-${n}.txt`, `${n}\n`, `planted-${n}`),
  }));

const statusOf = (rig: EngineRig, task: string) => async (): Promise<string> =>
  (await rig.changes(task))[0]?.status ?? '';

test('while a landing is on its way, the next gate runs begin on what the target will be', async () => {
  const rig = await engineRig({ repo: { slots: 1 }, gates: [{ name: 'quick', run: 'true' }] });
  const origin = slowOrigin(rig);
  const before = rig.git('rev-parse', 'main');
  // More than go into one run.
  const changes = planted(rig, 9);
  await enqueue(rig, changes);
  rig.start();
  const last = changes.at(-1)?.task ?? '';
  const run = await rig.until('verified on top of what is being pushed', async () => {
    const [change] = await rig.changes(last);
    const runs = await verificationsOf(rig.services.ledger.db, change?.id ?? '');
    return runs.find(({ outcome }) => outcome === 'green') ?? null;
  });
  expect(run.outcome).toBe('green');
  expect(rig.git('rev-parse', 'main')).toBe(before);
  origin.open();
  for (const { task } of changes)
    await rig.until('merged', async () => (await statusOf(rig, task)()) === 'merged');
  const files = rig.git('ls-tree', '--name-only', 'main').split('\n');
  expect(files).toEqual(expect.arrayContaining(changes.map((_, n) => `file-${n}.txt`)));
  expect(execFileSync('git', ['rev-parse', 'main'], { cwd: origin.bare, encoding: 'utf8' })).toBe(
    `${rig.git('rev-parse', 'main')}\n`,
  );
});
