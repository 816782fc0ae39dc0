import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { engineRig } from './rig.ts';

/** What one task may cost: from its start over its harvest, its gate and its proof to the free worktree. */
const MOST_PER_TASK = 28;

/** A git that notes every start by us; agents run their own without our arguments. */
function countedGit(): () => number {
  const folder = mkdtempSync(join(tmpdir(), 'convoy-count-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const notes = join(folder, 'notes');
  writeFileSync(notes, '');
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\n[ "$1" = --no-pager ] && echo start >> '${notes}'\nexec '${real}' "$@"\n`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return () => readFileSync(notes, 'utf8').split('\n').length - 1;
}

test('a task more in a chain costs a bounded number of git processes', async () => {
  const started = countedGit();
  const rig = await engineRig();
  rig.start();
  const chain = async (length: number): Promise<number> => {
    const before = started();
    const ids: string[] = [];
    for (let n = 0; n < length; n++) {
      const id = await rig.task(`T${n}`);
      const last = ids.at(-1);
      if (last !== undefined) await rig.after(id, last);
      ids.push(id);
    }
    await rig.settled(await rig.launch(...ids), 'landed');
    return started() - before;
  };
  const few = await chain(1);
  const many = await chain(5);
  expect(few).toBeGreaterThan(0);
  expect((many - few) / 4).toBeLessThanOrEqual(MOST_PER_TASK);
});
