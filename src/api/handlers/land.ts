import {
  type HeldWorktreeJson,
  landConvoy,
  type LandingOutlookJson,
  previewLanding,
} from '../../contract/routes/queue.ts';
import type { Convoy } from '../../domain/convoy/convoy.ts';
import { decideChange } from '../../domain/merge/decide-change.ts';
import { isDispatchable, isDone, type Task } from '../../domain/work/task.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { reviewAggregate } from '../../ledger/aggregates/review.ts';
import { forgetAnswers } from '../../ledger/gate-answers.ts';
import { changesOfConvoy } from '../../ledger/queries/changes.ts';
import { convoyAttempts } from '../../ledger/queries/convoy-attempts.ts';
import { reviewsOf } from '../../ledger/queries/reviews.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { ok } from '../../lib/result.ts';
import type { Merges } from '../../ports/repository.ts';
import type { RepoSettings } from '../../ports/settings.ts';
import { reads, type Services, writes } from '../context.ts';
import { landSubject, type LandSubject } from '../land-subject.ts';
import { refused } from '../problems.ts';
import { settingsOf } from '../repos.ts';
import { moveConvoy } from './convoy-moves.ts';

/** Looks and touches nothing. */
export const landingPreview = reads(previewLanding, async ({ params }, services) => {
  const { db } = services.ledger;
  const found = await landSubject(db, params.id);
  if (!found.ok) return found;
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const { convoy, epic, tasks } = found.value;
  const landings: LandingOutlookJson[] = [];
  const worktrees: HeldWorktreeJson[] = [];
  for (const name of new Set(
    tasks.flatMap(({ repo }) => (repo === null ? [] : [repo as string])),
  )) {
    const repo = settings.value.repos[name];
    if (repo === undefined) continue;
    landings.push(await outlookOf(services, found.value, name, repo));
    worktrees.push(...(await heldIn(services, found.value, name, repo)));
  }
  return ok({
    convoy_id: convoy.id,
    epic: epic?.id ?? null,
    status: convoy.status,
    open: openOf(tasks),
    landings,
    worktrees,
  });
});

/** Worktrees that attempts at this work have not given back. */
async function heldIn(
  { ledger, repositories }: Services,
  { convoy, tasks }: LandSubject,
  name: string,
  { source }: RepoSettings,
): Promise<HeldWorktreeJson[]> {
  const opened = source.kind === 'path' ? await repositories.open(source.path) : null;
  const listed = opened?.ok === true ? await opened.value.worktrees.list() : null;
  if (listed?.ok !== true) return [];
  const mine = new Set(tasks.map(({ id }) => id));
  const taskOf = new Map(
    (await convoyAttempts(ledger.db, convoy.id))
      .filter(({ task }) => mine.has(task))
      .map(({ id, task }) => [id as string, task]),
  );
  return listed.value.flatMap(({ owner, path }) => {
    const task = taskOf.get(owner);
    return task === undefined ? [] : [{ repo: name, attempt: owner, task, path }];
  });
}

async function outlookOf(
  { repositories }: Services,
  { branch, into }: LandSubject,
  name: string,
  repo: RepoSettings,
): Promise<LandingOutlookJson> {
  const none = { repo: name, target: repo.target ?? '', head: null, conflicts: [] };
  const opened = repo.source.kind === 'path' ? await repositories.open(repo.source.path) : null;
  if (opened?.ok !== true) return { ...none, state: 'no_branch' };
  const { facts, merges } = opened.value;
  const known = into ?? repo.target;
  const asked = known === null ? await facts.defaultBranch() : ok(known);
  const target = asked.ok ? asked.value : '';
  const head = await facts.head(branch);
  const onto = await facts.head(target);
  if (!head.ok || !onto.ok || head.value === null || onto.value === null)
    return { ...none, target, state: 'no_branch' };
  return {
    repo: name,
    target,
    head: head.value,
    ...(await wouldMerge(merges, head.value, onto.value)),
  };
}

async function wouldMerge(
  merges: Merges,
  head: string,
  onto: string,
): Promise<Pick<LandingOutlookJson, 'state' | 'conflicts'>> {
  const contained = await merges.alreadyContained(head, onto);
  if (contained.ok && contained.value) return { state: 'contained', conflicts: [] };
  const merged = await merges.mergeTrees(onto, head);
  if (merged.ok) return { state: 'clean', conflicts: [] };
  const conflicts = merged.error.kind === 'conflict' ? [...merged.error.files] : [];
  return { state: 'conflicted', conflicts };
}

const openOf = (tasks: readonly Task[]): string[] =>
  tasks
    .filter(
      ({ type, status }) =>
        isDispatchable(type) && !isDone(status) && status !== 'skipped' && status !== 'cancelled',
    )
    .map(({ id }) => id);

/** Says that a convoy may land; the engine does it. Saying it again tries a failed landing anew. */
export const convoyLand = writes(landConvoy, async ({ params, body }, tx) => {
  const found = await landSubject(tx.db, params.id);
  if (!found.ok) return found;
  const { convoy, epic } = found.value;
  const keepWorktrees = body.keep_worktrees === true;
  const named = { convoy_id: convoy.id, epic: epic?.id ?? null };
  if (hasLanded(found.value)) {
    if (!keepWorktrees) await giveBack(tx, found.value);
    return ok({ ...named, status: convoy.status, landed: true, retried: [] });
  }
  const refusal = whyNot(found.value);
  if (refusal !== null) return refusal;
  // A sub-epic lands in its convoy's own branch, which needs no owner's word.
  const asked =
    epic === null
      ? await moveConvoy(tx, convoy, { type: 'ask-landing', keepWorktrees })
      : ok(convoy);
  if (!asked.ok) return asked;
  const retried = await retryLeft(tx, convoy, named.epic);
  await askReviewersAgain(tx, convoy);
  const moved =
    asked.value.status === 'stalled'
      ? await moveConvoy(tx, asked.value, { type: 'resume' })
      : asked;
  return moved.ok ? ok({ ...named, status: moved.value.status, landed: false, retried }) : moved;
});

const hasLanded = ({ convoy, epic }: LandSubject): boolean =>
  convoy.status === 'landed' || epic?.status === 'closed';

/** The next engine that starts clears away what was kept. */
async function giveBack(tx: Tx, { convoy, epic }: LandSubject): Promise<void> {
  if (epic === null && convoy.keepWorktrees === true)
    await moveConvoy(tx, convoy, { type: 'ask-landing', keepWorktrees: false });
}

function whyNot({ convoy, epic, tasks }: LandSubject): ReturnType<typeof refused> | null {
  const open = openOf(tasks);
  if (open.length > 0)
    return refused(
      'open_tasks',
      `${epic?.id ?? convoy.id} has work that is not done: ${open.slice(0, 10).join(', ')}.`,
      `convoy status ${convoy.id} shows it; skip or remove what is not wanted.`,
      open,
    );
  if (convoy.feeding) return null;
  return refused(
    'not_launched',
    `${convoy.id} only tracks: nothing of it was made by Convoy.`,
    `convoy launch ${convoy.id} starts it.`,
    [convoy.id],
  );
}

/** The last landing of each repo, where it came back, goes into the queue once more. */
async function retryLeft(tx: Tx, convoy: Convoy, epic: string | null): Promise<string[]> {
  const landings = (await changesOfConvoy(tx.db, convoy.id)).filter(
    ({ landing, task }) => landing === true && (epic === null || task === epic),
  );
  const last = new Map(landings.map((change) => [`${change.repo} ${change.task}`, change]));
  const retried: string[] = [];
  for (const change of last.values()) {
    const decision = decideChange(change, { type: 'retry', at: tx.at });
    const isClosed = change.status === 'waiting_push' && change.because === 'pull_request_closed';
    if (!decision.ok || (change.status === 'waiting_push' && !isClosed)) continue;
    await tx.record(changeAggregate, change.id, decision.value);
    await forgetAnswers(tx.db, change.repo, change.id);
    retried.push(change.id);
  }
  return retried;
}

async function askReviewersAgain(tx: Tx, convoy: Convoy): Promise<void> {
  const reason = 'asked again by hand';
  for (const { id, status } of await reviewsOf(tx.db, convoy.id))
    if (status === 'failed')
      await tx.record(reviewAggregate, id, [{ type: 'review-unanswered', reason, final: false }]);
}
