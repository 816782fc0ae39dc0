import { type Rehearsed, runPullBody } from '../../domain/ship/author/pull-body.ts';
import type { Run, StageRecord } from '../../domain/ship/run/run.ts';
import { decideOn } from '../../ledger/approvals.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Authored } from '../../ports/author.ts';
import { type ForgeProblem, forgeWords, type PullRequestState } from '../../ports/forge.ts';
import { landingIn } from '../merge/landing-in.ts';
import { passGate } from './gate.ts';
import { forgeOf, type RunForge } from './run-forge.ts';
import type { Facts, StageOutcome, Standing, Voyage } from './voyage.ts';
import { SHIP_ENGINE, type ShipWorld } from './world.ts';

/** Pushes the branch and opens its pull request; one that is there already is found by the branch. */
export async function openPullRequest(
  voyage: Voyage,
  at: RunForge,
  authored: Authored,
  withheld: readonly string[],
  ours: readonly string[],
): Promise<Result<Facts, StageOutcome>> {
  const { plan, journal } = voyage;
  const { branch, commit, written, carried, fixCommit } = authored;
  const pushed = await push(at, branch, commit, ours);
  if (!pushed.ok) return err({ kind: 'errored', evidence: {}, reason: pushed.error });
  const found = await at.forge.find(branch);
  if (!found.ok) return err(noAnswer(found.error));
  const run = await journal.now();
  const body = runPullBody({
    plan: plan.id,
    run: run.id,
    written,
    carried,
    fixCommit,
    withheld,
    base: at.base,
    unpushed: at.unpushed,
    rehearsals: run.stages.filter(({ stage }) => stage === 'rehearse').map(rehearsedAs),
  });
  if (found.value?.state === 'closed')
    return err({
      kind: 'failed',
      evidence: {},
      reason: `Pull request #${found.value.number} of ${branch} was closed; open it again at ${found.value.url}, then convoy resume ${run.id}.`,
    });
  const wish = { branch, base: at.base, title: `Deploy ${plan.repo.name} (${plan.id})`, body };
  const pull =
    found.value?.state === 'open'
      ? await at.forge.update(found.value.number, { body })
      : await at.forge.create(wish);
  if (!pull.ok) return err(noAnswer(pull.error));
  const { number, url } = pull.value;
  return ok({ forge: at.forge.name, pull_request: { number, url, base: at.base } });
}

const noAnswer = (problem: ForgeProblem): StageOutcome => ({
  kind: problem.kind === 'unreachable' || problem.kind === 'rate_limited' ? 'errored' : 'failed',
  evidence: {},
  reason: `${capital(forgeWords(problem))}. The branch is pushed; convoy resume goes on from there.`,
});

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What an earlier run of this plan left there is replaced; other people's commits never are. */
async function push(
  { repository, url }: RunForge,
  branch: string,
  commit: string,
  ours: readonly string[],
): Promise<Result<null, string>> {
  const there = await repository.remote.head(url, branch);
  if (!there.ok) return err('origin did not answer; convoy resume tries again.');
  if (there.value === commit) return ok(null);
  if (there.value !== null && !ours.includes(there.value))
    return err(
      `${branch} on origin has commits of somebody else; delete or rename it, then convoy resume.`,
    );
  const expected = there.value;
  const pushed = await repository.remote.push({ url, branch, commit, expected, rewrite: true });
  if (pushed.ok) return ok(null);
  const { error } = pushed;
  return err(
    error.kind === 'push_rejected'
      ? `origin refuses ${branch} (${error.detail}); convoy resume tries again.`
      : `${branch} could not be pushed (${error.kind}); convoy resume tries again.`,
  );
}

function rehearsedAs({ lane, status, evidence }: StageRecord): Rehearsed {
  const text = (key: string): string | null => {
    const value = evidence[key];
    return typeof value === 'string' ? value : null;
  };
  return {
    lane: lane ?? 'service',
    status: text('verdict') ?? status,
    why: text('why') ?? text('reason'),
    healthPath: text('health_path'),
    isolation: text('isolation'),
    figures: figuresIn(evidence['load']),
  };
}

/** The numbers of a load, whatever it measured, rounded for people. */
function figuresIn(load: unknown): string[] {
  if (typeof load !== 'object' || load === null) return [];
  return Object.entries(load).flatMap(([name, value]) =>
    typeof value === 'number' ? [`${name}: ${Math.round(value * 1000) / 1000}`] : [],
  );
}

type Opened = { readonly number: number; readonly url: string; readonly commit: string };

/** The pull request that the author stage of this run opened. */
export function openedBy(run: Run): Opened | null {
  const author = run.stages.find(
    ({ stage, status }) => stage === 'author' && status === 'succeeded',
  );
  const pull: unknown = author?.evidence['pull_request'];
  const commit: unknown = author?.evidence['commit'];
  if (typeof pull !== 'object' || pull === null || typeof commit !== 'string') return null;
  const number: unknown = Reflect.get(pull, 'number');
  const url: unknown = Reflect.get(pull, 'url');
  return typeof number === 'number' && typeof url === 'string' ? { number, url, commit } : null;
}

/**
 * Brings the run's pull request into its base: merged by us (squash) after a yes, or by a person.
 * The forge's word counts only with git's proof. Whatever stands in the way pauses the run.
 */
export async function mergePullRequest(voyage: Voyage): Promise<Standing | null> {
  const opened = openedBy(await voyage.journal.now());
  if (opened === null || !voyage.options.realAuthor) return null;
  const at = await forgeOf(voyage);
  if (!at.ok) return paused(voyage, opened, at.error);
  const before = await stateOf(voyage, at.value, opened);
  if ('kind' in before) return before;
  if (before.state === 'merged') return proved(voyage, at.value, opened, before);
  const gate = await gated(voyage, at.value, opened);
  if (gate !== null) return gate;
  // A person may have been quicker.
  const now = await stateOf(voyage, at.value, opened);
  if ('kind' in now) return now;
  if (now.state === 'merged') return proved(voyage, at.value, opened, now);
  if (voyage.options.autoMerge === false)
    return paused(voyage, opened, 'It is left to a person, and is not merged yet.');
  return mergeNow(voyage, at.value, opened);
}

async function mergeNow(voyage: Voyage, at: RunForge, opened: Opened): Promise<Standing | null> {
  const { plan, journal } = voyage;
  const { number, commit: head } = opened;
  await journal.note('author', null, `Merging pull request #${number} at ${head}.`);
  const merged = await at.forge.merge(number, {
    head,
    strategy: 'squash',
    title: `Deploy ${plan.repo.name} (#${number})`,
    message: `Convoy: ${plan.id}`,
  });
  if (!merged.ok)
    return paused(
      voyage,
      opened,
      `${capital(forgeWords(merged.error))}. ${remedyFor(merged.error)}`,
    );
  return proved(voyage, at, opened, { mergeCommit: merged.value.commit, endedBy: 'convoy' });
}

function remedyFor(problem: ForgeProblem): string {
  if (problem.kind !== 'not_mergeable') return 'Nothing was merged.';
  switch (problem.because) {
    case 'protected':
      return 'Give it what the branch protection asks for.';
    case 'conflict':
      return 'Bring its branch up to date with its base, or close it and plan again.';
    case 'head_moved':
      return 'Somebody pushed to its branch: look at it, and plan again.';
    case 'method':
      return 'Allow squash merges in the settings of the repository, or merge it by hand.';
    default:
      return 'Look at it on the forge.';
  }
}

/** The state on the forge, or where the run stands because of it. */
async function stateOf(
  voyage: Voyage,
  { forge }: RunForge,
  opened: Opened,
): Promise<PullRequestState | Standing> {
  const state = await forge.read(opened.number);
  if (!state.ok) return paused(voyage, opened, `${capital(forgeWords(state.error))}.`);
  const { state: now, endedBy, head } = state.value;
  if (now === 'closed')
    return paused(
      voyage,
      opened,
      `It was closed without a merge${endedBy === null ? '' : ` by ${endedBy}`}. Open it again there.`,
    );
  if (now === 'open' && head !== opened.commit)
    return paused(
      voyage,
      opened,
      `Its branch was pushed to by somebody else (${head.slice(0, 10)}).`,
    );
  return state.value;
}

/** Everything that stops here can be resumed. */
const paused = (voyage: Voyage, { number, url }: Opened, why: string): Standing => ({
  kind: 'rest',
  status: 'paused',
  reason: `Pull request #${number} (${url}) is not merged. ${why} Then convoy resume ${voyage.journal.id}.`,
});

async function proved(
  voyage: Voyage,
  { repository, url, base }: RunForge,
  opened: Opened,
  { mergeCommit, endedBy }: Pick<PullRequestState, 'mergeCommit' | 'endedBy'>,
): Promise<Standing | null> {
  const target = await repository.remote.fetch(url, base);
  const landed =
    target.ok && target.value !== null
      ? await landingIn(repository, opened.commit, mergeCommit, target.value)
      : null;
  if (landed === null)
    return paused(
      voyage,
      opened,
      `The forge calls it merged, and ${base} on origin does not show it.`,
    );
  const by = endedBy ?? 'somebody';
  const text = `Pull request #${opened.number} is merged by ${by}: ${landed} on ${base}, proved by git.`;
  await voyage.journal.note('author', null, text);
  return null;
}

/** Asks for the yes, and takes a merge by a person for one. */
async function gated(voyage: Voyage, at: RunForge, opened: Opened): Promise<Standing | null> {
  const { options, world, signal } = voyage;
  const byPerson = options.autoMerge === false;
  const over = new AbortController();
  const watching = watchForge(
    world,
    voyage.journal.id,
    at,
    opened,
    AbortSignal.any([signal, over.signal]),
  );
  try {
    // Nobody can say yes for the person who is to press the button.
    return await passGate(
      byPerson ? { ...voyage, options: { ...options, autoApprove: false } } : voyage,
      {
        kind: 'merge_pr',
        lane: null,
        summary: byPerson
          ? `Merge pull request #${opened.number} (${opened.url}) into ${at.base} yourself; the run goes on when it is merged.`
          : `Squash pull request #${opened.number} (${opened.url}) into ${at.base}.`,
        details: {
          number: opened.number,
          url: opened.url,
          head: opened.commit,
          base: at.base,
          strategy: 'squash',
          merged_by: byPerson ? 'a person' : 'convoy',
        },
      },
    );
  } finally {
    over.abort();
    await watching;
  }
}

const FIRST_LOOK_MS = 15_000;
const LONGEST_LOOK_MS = 600_000;

/** While the question is open, looks whether somebody merged it on the forge. */
async function watchForge(
  world: ShipWorld,
  run: string,
  { forge }: RunForge,
  { number }: Opened,
  signal: AbortSignal,
): Promise<void> {
  let wait = world.lookMs ?? FIRST_LOOK_MS;
  while (!(await isOver(signal, wait))) {
    wait = Math.min(LONGEST_LOOK_MS, Math.round(wait * 1.5));
    const state = await forge.read(number);
    if (!state.ok || state.value.state !== 'merged') continue;
    await approveMerged(world, run, state.value.endedBy);
    return;
  }
}

/** True when there is nothing to wait for any more; false when the time has passed. */
const isOver = (signal: AbortSignal, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(true);
    const timer = setTimeout(() => resolve(false), ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve(true);
      },
      { once: true },
    );
    return undefined;
  });

/** A merge on the forge answers the question of whether to merge. */
export async function approveMerged(
  world: ShipWorld,
  run: string,
  by: string | null,
): Promise<void> {
  const rows = await world.ledger.db
    .selectFrom('approval')
    .select('id')
    .where('subject', '=', run)
    .where('kind', '=', 'merge_pr')
    .where('status', '=', 'pending')
    .execute();
  for (const { id } of rows)
    await world.ledger.write(SHIP_ENGINE, (tx) =>
      decideOn(tx, id, {
        verdict: 'approve',
        channel: 'auto',
        reason: `merged on the forge${by === null ? '' : ` by ${by}`}`,
        subjectHash: null,
      }),
    );
}
