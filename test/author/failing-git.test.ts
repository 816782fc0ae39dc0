import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRig, value, type Rig } from '../git/rig.ts';
import { nodeLane, openAuthor, requestFor } from './rig.ts';
import { snapshotOf } from './snapshot.ts';

/** A git that fails at one call: before it did anything, or after it did everything. */
function failingGit(
  rig: Rig,
  when: 'before' | 'after',
): { path: string; failAt(call: number): void; calls(): number } {
  const path = join(rig.root, 'failing-git');
  const [taken, target] = [join(rig.root, 'taken'), join(rig.root, 'target')];
  // Gits may run side by side: each takes a number that nobody else has.
  const lines = [
    '#!/bin/sh',
    'n=1; set -C',
    `until { true > ${taken}/$n; } 2>/dev/null; do n=$((n + 1)); done`,
    `set +C; [ $n = "$(cat ${target})" ] || exec git "$@"`,
    ...(when === 'after' ? ['git "$@"'] : []),
    'echo "fatal: injected" >&2; exit 128',
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o755 });
  const failAt = (call: number): void => {
    rmSync(taken, { recursive: true, force: true });
    mkdirSync(taken);
    writeFileSync(target, String(call));
  };
  failAt(0);
  return { path, failAt, calls: () => readdirSync(taken).length };
}

test.each(['before', 'after'] as const)(
  'DC-32 a failure %s any git step leaves everything of the user’s as it was',
  async (when) => {
    const rig = makeRig();
    rig.commit('first', { 'app.js': 'listen()\n', 'package.json': '{}\n' });
    rig.write('app.js', 'stashed()\n');
    rig.git('stash', 'push', '--quiet');
    rig.write('staged.js', 'staged\n');
    rig.git('add', 'staged.js');
    rig.write('app.js', 'listen(3000)\n');
    const git = failingGit(rig, when);
    const author = await openAuthor(rig, git.path);
    const plan = value(await author.carry());
    const request = await requestFor(author, [nodeLane()], { carry: { plan, subject: 'x' } });
    const before = snapshotOf(rig);
    const outcomes: boolean[] = [];
    for (let call = 1; ; call += 1) {
      git.failAt(call);
      const done = await author.perform({ ...request, planId: `plan-${call}` });
      expect(snapshotOf(rig)).toEqual(before);
      const branch = rig.git(
        'for-each-ref',
        '--format=%(objectname)',
        `refs/heads/convoy/plan-${call}`,
      );
      expect(branch).toBe(done.ok ? done.value.commit : '');
      outcomes.push(done.ok);
      if (done.ok) value(await author.release(done.value.owner));
      if (git.calls() < call) break;
    }
    // The last round had no failure left to meet; the ones before it mostly had.
    expect(outcomes.at(-1)).toBe(true);
    expect(outcomes.filter((worked) => !worked).length).toBeGreaterThan(20);
  },
  // One whole run for every git step there is.
  240_000,
);
