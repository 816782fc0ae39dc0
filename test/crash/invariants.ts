import type { Change } from '../../src/domain/merge/change.ts';
import { showTask } from '../../src/contract/routes/tasks.ts';
import { eventsAfter } from '../../src/ledger/queries/events-after.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import type { EngineRig } from '../engine/open-rig.ts';
import { executionsUnder } from '../executions.ts';

/** Everything that must hold once a convoy has landed and its engine has stopped; empty is good. */
export async function brokenInvariants(
  rig: EngineRig,
  tasks: readonly string[],
): Promise<string[]> {
  await rig.services.ledger.seal();
  return [
    ...(await leftovers(rig)),
    ...(await doubled(rig, tasks)),
    ...(await early(rig, tasks)),
    ...(await verifyLedger(rig.services.ledger.db)).problems.map(({ message }) => message),
  ];
}

async function leftovers(rig: EngineRig): Promise<string[]> {
  const { ledger, repositories } = rig.services;
  const repository = await repositories.open(rig.path('main'));
  if (!repository.ok) return [`the repository is ${repository.error.kind}`];
  const worktrees = await repository.value.worktrees.list();
  if (!worktrees.ok) return [`worktrees: ${worktrees.error.kind}`];
  const queues = await ledger.db.selectFrom('queue').select(['id', 'state']).execute();
  return [
    ...worktrees.value.map(({ owner }) => `the worktree of ${owner} is not released`),
    ...executionsUnder(rig.root).map((pid) => `process ${pid} is an orphan`),
    ...queues.flatMap(({ id, state }) =>
      state.includes('"landing":null') ? [] : [`${id} has an unsettled landing`],
    ),
  ];
}

/** Each task has one merged change and one merge commit, and its attempts never overlap. */
async function doubled(rig: EngineRig, tasks: readonly string[]): Promise<string[]> {
  const subjects = rig.git('log', '--format=%s', 'main').split('\n');
  const problems: string[] = [];
  for (const task of tasks) {
    const merged = (await rig.changes(task)).filter(isMerged);
    if (merged.length !== 1) problems.push(`${task} has ${merged.length} merged changes`);
    const commits = subjects.filter((subject) => subject.startsWith(`Merge ${task}:`)).length;
    if (commits !== 1) problems.push(`${task} was merged ${commits} times`);
    const attempts = await rig.attempts(task);
    for (const [n, { id }] of attempts.entries()) {
      const before = attempts[n - 1];
      if (before !== undefined && !(await isBefore(rig, endOf(before.id), beginOf(id))))
        problems.push(`${task} had two attempts at the same time`);
    }
  }
  return problems;
}

type Moment = { readonly subject: string; readonly kinds: readonly string[] };

const beginOf = (attempt: string): Moment => ({
  subject: `attempt/${attempt}`,
  kinds: ['attempt-opened'],
});
const endOf = (attempt: string): Moment => ({
  subject: `attempt/${attempt}`,
  kinds: ['attempt-done', 'attempt-over'],
});
const mergeOf = (change: string): Moment => ({
  subject: `change/${change}`,
  kinds: ['change-merged'],
});

/** By their place in the record: the clock may have been set in between. */
async function isBefore(rig: EngineRig, one: Moment, other: Moment): Promise<boolean> {
  const placeOf = async ({ subject, kinds }: Moment): Promise<number> => {
    const [event] = await eventsAfter(rig.services.ledger.db, 0, { subject, kinds, limit: 1 });
    return event?.seq ?? Infinity;
  };
  return (await placeOf(one)) < (await placeOf(other));
}

/** No task began before all it waits for had merged. */
async function early(rig: EngineRig, tasks: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const id of tasks) {
    const { task } = await rig.call(showTask, { params: { id } });
    const [first] = await rig.attempts(id);
    for (const { id: on } of task.depends_on) {
      const merged = (await rig.changes(on)).find(isMerged);
      if (first === undefined) continue;
      if (merged === undefined || !(await isBefore(rig, mergeOf(merged.id), beginOf(first.id))))
        problems.push(`${id} began before ${on}`);
    }
  }
  return problems;
}

const isMerged = (change: Change): change is Extract<Change, { status: 'merged' }> =>
  change.status === 'merged';
