import { execFileSync } from 'node:child_process';
import { attemptId, changeId, repoName, taskId } from '../../src/domain/work/ids.ts';
import { newTask } from '../../src/domain/work/new-task.ts';
import { changeAggregate } from '../../src/ledger/aggregates/change.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import { ok } from '../../src/lib/result.ts';
import type { EngineRig } from './open-rig.ts';

/** Work that no agent did, ready for the queue of main. */
export type Planted = { readonly task: string; readonly head: string };

/** A commit on main with one file more, or another content in one that is there; a branch keeps it. */
export function plantCommit(rig: EngineRig, file: string, content: string, branch: string): string {
  const git = (input: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd: rig.path('main'), input, encoding: 'utf8' }).trim();
  const blob = git(content, 'hash-object', '-w', '--stdin');
  const others = rig
    .git('ls-tree', 'main')
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith(`\t${file}`));
  const tree = git(`${[...others, `100644 blob ${blob}\t${file}`].join('\n')}\n`, 'mktree');
  const commit = rig.git('commit-tree', tree, '-p', 'main', '-m', branch);
  rig.git('branch', branch, commit);
  return commit;
}

/** Rows as submissions would leave them. */
export async function enqueue(rig: EngineRig, planted: readonly Planted[]): Promise<void> {
  const base = rig.git('merge-base', 'main', planted[0]?.head ?? '');
  await rig.services.ledger.write('test', async (tx) => {
    for (const { task, head } of planted) {
      const [id, change, attempt] = [taskId(task), changeId(`ch-${task}`), attemptId(`at-${task}`)];
      const repo = repoName('main');
      await tx.record(taskAggregate, id, [
        { type: 'task-created', task: newTask(id, { title: task, repo }, 'test', tx.at) },
        { type: 'attempt-started', attempt },
        { type: 'task-submitted', attempt, change },
      ]);
      const core = {
        id: change,
        task: id,
        attempt,
        convoy: null,
        repo,
        target: 'main',
        head,
        base,
        priority: 2,
        enqueuedAt: tx.at,
        movedTo: null,
      };
      await tx.record(changeAggregate, change, [
        { type: 'change-enqueued', at: tx.at, change: core },
      ]);
    }
    return ok(null);
  });
}
