import type { Convoy } from '../../domain/convoy/convoy.ts';
import { hasEnded } from '../../domain/convoy/convoy.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import type { ConvoyCommand } from '../../domain/convoy/events.ts';
import { repoName, type TaskId, taskId } from '../../domain/work/ids.ts';
import { newTask } from '../../domain/work/new-task.ts';
import { LONGEST_TITLE, type Task } from '../../domain/work/task.ts';
import { idLength } from '../../domain/work/task-id.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { tasksById } from '../../ledger/queries/task-list.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok } from '../../lib/result.ts';
import { ENGINE, type World } from '../world.ts';

/** Work that a landing or a review asks for; the convoy is not done without it. */
export type FollowUp = {
  /** What it answers: a change or a review. Each is answered once. */
  readonly answers: string;
  readonly kind: 'landing_conflict' | 'landing_red' | 'review';
  readonly repo: string;
  /** The sub-epic it belongs to, so that its work is collected there. */
  readonly parent?: TaskId | null;
  readonly title: string;
  readonly description: string;
};

/** What a task was made for by the engine, or null for a person's task. */
export function followUpOf(
  task: Pick<Task, 'metadata'>,
): Pick<FollowUp, 'answers' | 'kind'> | null {
  const { follow_up: kind, answers } = task.metadata;
  if (kind !== 'landing_conflict' && kind !== 'landing_red' && kind !== 'review') return null;
  return typeof answers === 'string' ? { kind, answers } : null;
}

/** Writes the task down and opens the convoy for it, in one transaction; null when it is there. */
export async function addFollowUp(
  world: World,
  convoy: Convoy,
  wish: FollowUp,
): Promise<TaskId | null> {
  const settings = world.settings.read();
  const prefix = settings.ok ? settings.value.repos[wish.repo]?.prefix : undefined;
  if (prefix === undefined) return null;
  const made = await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(convoyAggregate, convoy.id);
    if (stored === null || hasEnded(stored.state.status)) return err('ended');
    const members = await tasksById(tx.db, await convoyMembers(tx.db, convoy.id));
    if (members.some((task) => followUpOf(task)?.answers === wish.answers)) return err('answered');
    const id = await freshId(world, tx, prefix);
    const task = newTask(id, draftOf(wish), ENGINE, tx.at);
    await tx.record(taskAggregate, id, [{ type: 'task-created', task }]);
    await rollUp(tx, id);
    const commands: ConvoyCommand[] = [
      { type: 'stop-landing', reason: wish.title },
      { type: 'resume' },
      { type: 'track', tasks: [id] },
    ];
    for (const command of commands) await moveConvoy(tx, convoy.id, command);
    return ok(id);
  });
  return made.ok ? made.value : null;
}

const draftOf = ({
  repo,
  parent,
  title,
  description,
  kind,
  answers,
}: FollowUp): Parameters<typeof newTask>[1] => ({
  title: title.slice(0, LONGEST_TITLE),
  repo: repoName(repo),
  parent: parent ?? null,
  type: 'bug',
  priority: 1,
  description,
  metadata: { follow_up: kind, answers },
});

async function freshId(world: World, tx: Tx, prefix: string): Promise<TaskId> {
  const { count } = await tx.db
    .selectFrom('task')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  for (;;) {
    const id = taskId(`${prefix}-${world.ids.base36(idLength(count))}`);
    if ((await tx.load(taskAggregate, id)) === null) return id;
  }
}

/** A command that does not fit the state the convoy is in changes nothing. */
async function moveConvoy(tx: Tx, id: string, command: ConvoyCommand): Promise<void> {
  const stored = await tx.load(convoyAggregate, id);
  const decision = stored === null ? null : decideConvoy(stored.state, command);
  if (decision?.ok === true && decision.value.length > 0)
    await tx.record(convoyAggregate, id, decision.value);
}
