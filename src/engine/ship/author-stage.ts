import { carriesNothing, type CarryPlan } from '../../domain/ship/author/carry.ts';
import type { PlanFile } from '../../domain/ship/plan/plan.ts';
import { authorLanes } from '../../domain/ship/plan/author-lanes.ts';
import type { StageRecord } from '../../domain/ship/run/run.ts';
import { changed } from '../../domain/ship/plan/steps.ts';
import { runList } from '../../ledger/queries/runs.ts';
import type { Author, Authored, AuthorRefusal } from '../../ports/author.ts';
import type { NoAnswer } from '../../ports/repository.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Result } from '../../lib/result.ts';
import { passGate } from './gate.ts';
import { openPullRequest } from './pull-request-stage.ts';
import { forgeOf, type RunForge } from './run-forge.ts';
import {
  performStage,
  type Facts,
  type StageOutcome,
  type Standing,
  type Voyage,
} from './voyage.ts';

/** Puts the planned files on the plan's branch, once a person has said yes to exactly these. */
export async function authorFiles(voyage: Voyage): Promise<Standing | null> {
  const { plan, options, mark } = voyage;
  const files = await filesToWrite(voyage);
  if (!plan.steps.some(({ stage }) => stage === 'author')) return null;
  if (!options.realAuthor) {
    const evidence = { reason: 'asked to go without writing files' };
    await performStage(voyage, 'author', null, async () => ({ kind: 'skipped', evidence }));
    return null;
  }
  const opened = await voyage.world.tools.author(plan.repo.path);
  if (!opened.ok)
    return {
      kind: 'rest',
      status: 'paused',
      reason: `The repository cannot be opened (${opened.error.kind}).`,
    };
  const author = opened.value;
  const carry = mark.dirty.length === 0 ? null : await author.carry();
  if (carry?.ok === false)
    return {
      kind: 'rest',
      status: 'paused',
      reason: `Uncommitted work cannot be read (${carry.error.kind}).`,
    };
  const carried = carry === null || carriesNothing(carry.value) ? null : carry.value;
  const forge = await forgeOf(voyage);
  let gate: Standing | null = null;
  const outcome = await performStage(
    voyage,
    'author',
    null,
    async () => {
      if (options.injectFailure === 'author') return onPurpose;
      gate = await passGate(voyage, await openPr(voyage, files, carried, forge));
      return gate === null ? write(voyage, author, files, carried, forge) : { kind: 'stopped' };
    },
    (record) => branchHolds(voyage, record),
  );
  if (gate !== null) return gate;
  return standingOf(outcome);
}

const onPurpose: StageOutcome = {
  kind: 'failed',
  evidence: { injected: true },
  reason: 'Writing the files failed on purpose (--inject-failure author); nothing was written.',
};

function standingOf(outcome: StageOutcome): Standing | null {
  switch (outcome.kind) {
    case 'stopped':
      return { kind: 'rest', status: 'interrupted', reason: 'Stopped while writing files.' };
    case 'errored':
    case 'failed':
      return { kind: 'rest', status: 'paused', reason: outcome.reason };
    default:
      return null;
  }
}

/** What was planned, and where a rehearsal made a file anew, that. */
async function filesToWrite({ plan, journal }: Voyage): Promise<readonly PlanFile[]> {
  const { stages } = await journal.now();
  const anew = stages.flatMap(({ stage, evidence }) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the rehearsal writes its evidence
    stage === 'rehearse' ? ((evidence['files'] ?? []) as readonly PlanFile[]) : [],
  );
  const byPath = new Map(anew.map((file) => [file.path, file]));
  const planned = plan.files.map((file) => byPath.get(file.path) ?? file);
  const known = new Set(plan.files.map(({ path }) => path));
  return [...planned, ...anew.filter(({ path }) => !known.has(path))];
}

const counted = (files: number): string => `${files} ${files === 1 ? 'file' : 'files'}`;

const MOST_NAMED = 3;

function carriedWords(carry: CarryPlan | null): string {
  const paths = (carry?.files ?? []).map(({ path }) => path);
  if (paths.length === 0) return '';
  const what = paths.length > MOST_NAMED ? counted(paths.length) : paths.join(', ');
  return `, after a commit with your uncommitted ${what}`;
}

/** What the rehearsal of each lane showed, in a line. */
const rehearsed = (stages: readonly StageRecord[]): readonly string[] =>
  stages
    .filter(({ stage }) => stage === 'rehearse')
    .map(({ lane, status, evidence }) => {
      const why = evidence['why'] ?? evidence['reason'];
      return `${lane ?? ''} ${status}${typeof why === 'string' ? `: ${why}` : ''}`;
    });

async function openPr(
  { plan, mark, journal }: Voyage,
  all: readonly PlanFile[],
  carry: CarryPlan | null,
  forge: Result<RunForge, string>,
) {
  const rehearsal = rehearsed((await journal.now()).stages);
  const files = changed(all);
  const where = forge.ok
    ? `It is pushed to ${forge.value.forge.name}, with a pull request into ${forge.value.base}.`
    : forge.error;
  return {
    kind: 'open_pr' as const,
    lane: null,
    summary: `Put ${counted(files.length)} on convoy/${plan.id}${carriedWords(carry)}. ${where}`,
    details: {
      branch: `convoy/${plan.id}`,
      base: mark.sha,
      forge: forge.ok ? forge.value.forge.name : 'none',
      into: forge.ok ? forge.value.base : null,
      unpushed: forge.ok ? forge.value.unpushed : 0,
      files: files.map(({ path, action, content }) => ({ path, action, content })),
      carried: (carry?.files ?? []).map(({ path, change, diff }) => ({ path, change, diff })),
      withheld: carry?.withheld ?? [],
      carried_tree: carry?.tree ?? null,
      rehearsal,
    },
  };
}

async function write(
  voyage: Voyage,
  author: Author,
  files: readonly PlanFile[],
  carry: CarryPlan | null,
  forge: Result<RunForge, string>,
): Promise<StageOutcome> {
  const { plan, mark, journal } = voyage;
  const run = await journal.now();
  const subject = run.diagnoses.at(-1)?.rootCause ?? 'carry uncommitted work';
  const done = await author.perform({
    planId: plan.id,
    project: plan.repo.name,
    lanes: authorLanes(plan.lanes, mark.prefix),
    base: mark.sha ?? '',
    files,
    carry: carry === null ? null : { plan: carry, subject },
    expected: await lastCommit(voyage),
    // The same time for every try: a commit made just before a crash is then recognised.
    at: Date.parse(plan.created_at),
  });
  if (!done.ok) return refusal(done.error);
  await author.release(done.value.owner);
  const facts = factsOf(done.value);
  if (!forge.ok) return { kind: 'succeeded', evidence: { ...facts, stays: forge.error } };
  const withheld = carry?.withheld.map(({ path }) => path) ?? [];
  const pull = await openPullRequest(
    voyage,
    forge.value,
    done.value,
    withheld,
    await ownCommits(voyage),
  );
  return pull.ok ? { kind: 'succeeded', evidence: { ...facts, ...pull.value } } : pull.error;
}

const factsOf = ({ branch, commit, fixCommit, written, carried }: Authored): Facts => ({
  branch,
  commit,
  fix_commit: fixCommit,
  written,
  carried,
  forge: 'none',
});

/** Where an earlier run of this plan left the branch. */
async function lastCommit(voyage: Voyage): Promise<string | null> {
  return (await ownCommits(voyage))[0] ?? null;
}

/** Every commit that runs of this plan recorded, the newest run first. */
async function ownCommits({ world, plan }: Voyage): Promise<string[]> {
  const runs = await runList(world.ledger.db, { plan: plan.id, limit: 100 });
  return runs.flatMap(({ stages }) => stages.flatMap(commitIn));
}

function commitIn({ stage, evidence }: StageRecord): string[] {
  const { commit } = evidence;
  return stage === 'author' && typeof commit === 'string' ? [commit] : [];
}

/** A finished author stage counts only while its branch is where it was left. */
async function branchHolds({ world, plan }: Voyage, record: StageRecord): Promise<boolean> {
  const [commit] = commitIn(record);
  if (record.status === 'skipped') return true;
  if (commit === undefined) return false;
  return (await world.tools.branchHead(plan.repo.path, `convoy/${plan.id}`)) === commit;
}

function refusal(error: AuthorRefusal | NoAnswer): StageOutcome {
  switch (error.kind) {
    case 'stopped':
      return { kind: 'stopped' };
    case 'errored':
      return { kind: 'errored', evidence: {}, reason: `${error.what}: ${error.detail}` };
    default:
      return { kind: 'failed', evidence: { refusal: error }, reason: wordsFor(error) };
  }
}

function wordsFor(error: AuthorRefusal): string {
  switch (error.kind) {
    case 'branch_moved':
      return `${error.branch} was moved by somebody else; delete or rename it, then convoy resume.`;
    case 'branch_in_use':
      return `${error.branch} is checked out in ${error.checkout}; leave it there, then convoy resume.`;
    case 'changed_since_shown':
      return `${error.paths.join(', ')} changed after it was shown; convoy resume shows it again.`;
    case 'too_many_changes':
      return `${error.files} uncommitted files are more than can be carried (${error.most}); commit them first.`;
    case 'not_owned':
      return `${error.path} may not be written: ${error.reason}.`;
    case 'does_not_parse':
      return `${error.path} does not parse: ${error.problems.join('; ')}`;
    case 'unknown_base':
      return `The commit ${error.base} is gone.`;
    case 'bad_plan_id':
      return `${error.planId} cannot name a branch.`;
    default:
      return unreachable(error);
  }
}
