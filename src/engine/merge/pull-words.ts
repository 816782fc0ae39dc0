import type { Change } from '../../domain/merge/change.ts';
import { pullBody, type PullTask } from '../../domain/merge/pull-body.ts';
import type { Task } from '../../domain/work/task.ts';
import { changesOf } from '../../ledger/queries/changes.ts';
import { convoysById } from '../../ledger/queries/convoy-list.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { reviewsOf } from '../../ledger/queries/reviews.ts';
import { tasksById } from '../../ledger/queries/task-list.ts';
import type { Place } from './queue-run.ts';

/** Title and body of a change's pull request: one task, or every task of a convoy in this repo. */
export async function wordsFor(
  { world, repo, target, settings }: Place,
  change: Change,
  tested: { readonly onto: string; readonly tree: string },
): Promise<{ title: string; body: string }> {
  const { db } = world.ledger;
  const [convoy] = change.convoy === null ? [] : await convoysById(db, [change.convoy]);
  const ids =
    change.landing === true ? await convoyMembers(db, change.convoy ?? '') : [change.task];
  const tasks = (await tasksById(db, ids)).filter((task) => task.repo === repo);
  const shown: PullTask[] = [];
  for (const task of tasks) shown.push(await shownAs(db, task, change));
  const reviews = change.convoy === null ? [] : await reviewsOf(db, change.convoy);
  const title = change.landing === true ? (convoy?.title ?? change.task) : titleOf(tasks, change);
  const body = pullBody({
    title,
    convoy: change.convoy,
    tasks: shown,
    target,
    ...tested,
    gates: settings.gates.map(({ name }) => name),
    reviews: reviews
      .filter(({ status, repo: of }) => status === 'approved' && of === repo)
      .map(
        ({ change: about, tree }) => `A reviewer approved ${about ?? 'the whole'} (tree ${tree}).`,
      ),
  });
  return { title, body };
}

const titleOf = (tasks: readonly Task[], { task }: Change): string =>
  `${task}: ${tasks.find(({ id }) => id === task)?.title ?? task}`;

async function shownAs(
  db: Place['world']['ledger']['db'],
  task: Task,
  proposed: Change,
): Promise<PullTask> {
  const last = (await changesOf(db, task.id)).at(-1);
  const own = proposed.landing === true ? last : proposed;
  const { id, title, description, acceptance, attempts, status } = task;
  return {
    id,
    title,
    description: description ?? '',
    acceptance: acceptance.map(({ text }) => ({ text })),
    change: own?.id ?? null,
    commit: own?.status === 'merged' ? own.merged.commit : (own?.head ?? null),
    attempts,
    status,
  };
}
