import type { ApprovalWish } from '../../domain/approval/approval.ts';
import type { Change } from '../../domain/merge/change.ts';
import { mayMerge, type OwnWord } from '../../domain/merge/pull.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import { approvalAbout, voidQuestion } from '../../ledger/approvals.ts';
import { ok } from '../../lib/result.ts';
import {
  type Forge,
  type ForgeProblem,
  forgeWords,
  type PullRequestState,
} from '../../ports/forge.ts';
import { askPerson } from '../review/ask.ts';
import { ENGINE } from '../world.ts';
import { recordPulled } from './pull-land.ts';
import { byPulls, firstWaitMs, isProposed, longerWait, type PullLook, tell } from './pull-place.ts';
import { closedWords } from './pull-propose.ts';
import type { Place } from './queue-run.ts';

/**
 * Changes whose pull request waits for somebody else. The forge is asked when a look is due, and not at
 * all in between: waiting for days costs a few requests an hour.
 */
export async function awayAtForge(
  place: Place,
  entries: readonly Change[],
): Promise<ReadonlySet<ChangeId>> {
  const away = new Set<ChangeId>();
  const { forge } = place.memory.pulls;
  for (const change of entries) {
    if (!isProposed(change)) continue;
    if (forge === null || !(await isReady(place, forge, change))) away.add(change.id);
  }
  return away;
}

/** True when every change of this queue waits at the forge and none is due: then nothing is asked. */
export async function restsAtForge(place: Place, open: readonly Change[]): Promise<boolean> {
  const { world, memory } = place;
  if (!byPulls(place)) return false;
  for (const change of open) {
    const look = memory.pulls.looks.get(change.id);
    const isDue = (look?.dueAt ?? 0) <= world.timers.monotonic();
    if (look === undefined || look.ready || !isProposed(change) || isDue) return false;
    if ((await ownWord(place, change)).key !== look.own) return false;
  }
  return open.length > 0;
}

async function isReady(place: Place, forge: Forge, change: Change): Promise<boolean> {
  const { world, memory } = place;
  // News that comes while we ask makes old what was known before the first question.
  const { news } = memory.pulls;
  const before = memory.pulls.looks.get(change.id);
  const own = await ownWord(place, change);
  const isDue = (before?.dueAt ?? 0) <= world.timers.monotonic();
  const isFresh = before !== undefined && before.own === own.key && !isDue;
  const seen = isFresh ? before : await lookAt(place, forge, change, own, before);
  const look = news === memory.pulls.news ? seen : { ...seen, dueAt: 0 };
  memory.pulls.looks.set(change.id, look);
  return look.ready || !(await stillMerges(place, change, look));
}

async function lookAt(
  place: Place,
  forge: Forge,
  change: Change,
  own: Own,
  before: PullLook | undefined,
): Promise<PullLook> {
  const { world } = place;
  const seen = await forge.read(change.pull?.number ?? 0);
  const { ready, restMs } = seen.ok
    ? await follow(place, change, seen.value, own)
    : await unanswered(place, change, seen.error, before);
  const waitMs = before === undefined || ready ? firstWaitMs(world) : longerWait(before.waitMs);
  const dueAt = world.timers.monotonic() + (restMs ?? waitMs);
  return { dueAt, waitMs, ready, mergesInto: before?.mergesInto ?? null, own: own.key };
}

/** `restMs`: how long to leave the forge alone, where that is known. */
type Looked = { readonly ready: boolean; readonly restMs?: number };

async function follow(
  place: Place,
  change: Change,
  seen: PullRequestState,
  own: Own,
): Promise<Looked> {
  const { world, settings } = place;
  if (seen.state === 'merged') {
    const landed = await recordPulled(place, change, seen);
    if (landed) await askNoMore(place, change, 'its pull request is merged');
    // Git does not show it yet: soon again.
    return landed ? { ready: false } : { ready: false, restMs: SOON_MS };
  }
  if (seen.state === 'closed') {
    await askNoMore(place, change, 'its pull request was closed');
    await closedBySomebody(place, change, seen.endedBy);
    return { ready: false };
  }
  if (change.status === 'waiting_push' && change.because === 'pull_request_closed')
    await tell(world, change.id, {
      type: 'wait-for-push',
      commit: change.commit,
      tree: change.tree,
      because: 'needs_approval',
    });
  const verdict = mayMerge(settings.prMerge, change.head, seen, own.word);
  const waits = verdict.kind === 'ready' ? null : verdict.why;
  const stuck = verdict.kind === 'waits' && verdict.stuck;
  await tell(world, change.id, { type: 'see-pull', state: 'open', by: null, waits, stuck });
  return { ready: verdict.kind === 'ready' };
}

const SOON_MS = 2000;

async function closedBySomebody(place: Place, change: Change, by: string | null): Promise<void> {
  const { commit, tree } =
    change.status === 'waiting_push' ? change : { commit: change.head, tree: '' };
  await tell(
    place.world,
    change.id,
    { type: 'wait-for-push', commit, tree, because: 'pull_request_closed' },
    { type: 'see-pull', state: 'closed', by, waits: closedWords(by), stuck: true },
  );
}

async function unanswered(
  { world }: Place,
  change: Change,
  problem: ForgeProblem,
  before: PullLook | undefined,
): Promise<Looked> {
  const stuck = problem.kind === 'not_authorised' || problem.kind === 'not_found';
  // An answer that did not come is no news; what a person has to mend is.
  if (stuck)
    await tell(world, change.id, {
      type: 'see-pull',
      state: change.pull?.state ?? 'open',
      by: change.pull?.by ?? null,
      waits: forgeWords(problem),
      stuck,
    });
  else world.log(`${change.id}: ${forgeWords(problem)}`);
  // The forge names an hour of the day; waits here go by the monotonic clock.
  const rest = problem.kind === 'rate_limited' ? { restMs: problem.until - world.now() } : {};
  return { ready: before?.ready ?? false, ...rest };
}

/** A target that moved may conflict with it; then the planner is to see that at once. */
async function stillMerges(place: Place, change: Change, look: PullLook): Promise<boolean> {
  const { repository, target, memory } = place;
  const head = await repository.facts.head(target);
  if (!head.ok || head.value === null || head.value === look.mergesInto) return true;
  const merged = await repository.merges.mergeTrees(head.value, change.head);
  if (!merged.ok) return merged.error.kind !== 'conflict';
  // Read again: news that came meanwhile has made the look old, or taken it away.
  const { looks } = memory.pulls;
  const known = looks.get(change.id);
  if (known !== undefined) looks.set(change.id, { ...known, mergesInto: head.value });
  return true;
}

type Own = { readonly word: OwnWord; readonly key: string };

/** What a person said in Convoy about this head; asked for where that could count. */
async function ownWord(place: Place, change: Change): Promise<Own> {
  const { world, settings } = place;
  if (settings.prMerge !== 'approved' || change.pull?.state !== 'open') return NOTHING_SAID;
  const wish = questionOf(place, change);
  const asked = (await approvalAbout(world.ledger.db, wish)) ?? (await askPerson(world, wish));
  const key = `${asked.id} ${asked.status}`;
  if (asked.status === 'approved') return { word: { kind: 'approved' }, key };
  if (asked.status !== 'rejected') return { word: { kind: 'none' }, key };
  const by = asked.decision?.actor ?? 'a person';
  return { word: { kind: 'rejected', by, reason: asked.decision?.reason ?? null }, key };
}

const NOTHING_SAID: Own = { word: { kind: 'none' }, key: '' };

function questionOf({ repo, target }: Place, change: Change): ApprovalWish {
  const { pull, task, convoy, head, id } = change;
  const isLanding = change.landing === true;
  return {
    kind: 'merge_pr',
    subject: convoy ?? task,
    lane: isLanding ? repo : task,
    subjectHash: head,
    summary: `Merge pull request #${pull?.number ?? ''} (${pull?.url ?? ''}) into ${target} of ${repo}`,
    details: {
      change: id,
      head,
      target,
      repo,
      number: pull?.number ?? null,
      url: pull?.url ?? null,
    },
  };
}

async function askNoMore(place: Place, change: Change, reason: string): Promise<void> {
  await place.world.ledger.write(ENGINE, async (tx) => {
    await voidQuestion(tx, questionOf(place, change), reason);
    return ok(null);
  });
}
