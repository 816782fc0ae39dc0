import { type RepoName, repoName, type TaskId, taskId } from '../src/domain/work/ids.ts';
import { newTask } from '../src/domain/work/new-task.ts';
import type { TaskType } from '../src/domain/work/task.ts';
import { taskAggregate } from '../src/ledger/aggregates/task.ts';
import type { Ledger } from '../src/ledger/open.ts';
import { ok } from '../src/lib/result.ts';

export type Planted = {
  readonly id: string;
  readonly parent?: string;
  readonly type?: TaskType;
  readonly after?: readonly string[];
  readonly repo?: string | null;
};

/** Writes tasks straight into the ledger, in one transaction and past the rules about edges. */
export async function plant(ledger: Ledger, tasks: readonly Planted[]): Promise<void> {
  await ledger.write('test', async (tx) => {
    for (const { id, parent, type = 'task', after = [], repo = 'main' } of tasks) {
      const draft = {
        title: `Task ${id}`,
        type,
        repo: repo === null ? null : named(repo),
        parent: parent === undefined ? null : taskId(parent),
        dependencies: after.map((on) => ({ on: taskId(on), kind: 'blocks' })),
      };
      const task = newTask(taskId(id), draft, 'test', tx.at);
      await tx.record(taskAggregate, task.id, [{ type: 'task-created', task }]);
    }
    return ok(null);
  });
}

/** An epic with so many children, numbered from 1. */
export const epicOf = (id: string, children: number): Planted[] => [
  { id, type: 'epic' },
  ...Array.from({ length: children }, (_, at) => ({ id: childOf(id, at + 1), parent: id })),
];

export const childOf = (epic: string, number: number): TaskId => taskId(`${epic}.${number}`);

const named = (repo: string): RepoName => repoName(repo);
