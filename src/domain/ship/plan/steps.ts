import type { PlanApproval, PlanFile, PlanLane, PlanRepo, PlanStaging, PlanStep } from './plan.ts';
import { stagedLanes } from './secret-staging.ts';

const NOTHING_TO_UNDO = 'Nothing is changed, so there is nothing to undo.';

/** Everything apply would do, in its order. */
export function stepsOf(
  lanes: readonly PlanLane[],
  files: readonly PlanFile[],
  repo: PlanRepo,
  staging: PlanStaging,
): readonly PlanStep[] {
  return [
    ...lanes.flatMap((lane) => [scanStep(lane), pickStep(lane)]),
    ...lanes.map(rehearseStep),
    ...(canAuthor(files, repo) ? [authorStep(files, repo)] : []),
    ...stagedLanes(staging).map((lane) => secretsStep(lane, staging.file)),
  ];
}

/** What a person will be asked, in the order of the asking. */
export function approvalsOf(
  files: readonly PlanFile[],
  repo: PlanRepo,
  staging: PlanStaging,
): readonly PlanApproval[] {
  const writes = changed(files).length;
  const where = repo.remote === null ? 'a local branch, because there is no remote' : 'a branch';
  const open: PlanApproval = {
    kind: 'open_pr',
    lane: null,
    before: 'author',
    summary: `Put ${count(writes, 'file')} on ${where}.`,
  };
  return [
    ...(canAuthor(files, repo) ? [open] : []),
    ...stagedLanes(staging).map(({ lane, platform, staged }) => ({
      kind: 'stage_secrets' as const,
      lane,
      before: `secrets:${lane}`,
      summary: `Hand ${staged.join(', ')} of ${lane} to ${platform}.`,
    })),
  ];
}

/** A branch needs a commit to begin at. */
const canAuthor = (files: readonly PlanFile[], repo: PlanRepo): boolean =>
  repo.sha !== null && changed(files).length > 0;

export const changed = (files: readonly PlanFile[]): readonly PlanFile[] =>
  files.filter(({ action }) => action === 'create' || action === 'update');

function scanStep(lane: PlanLane): PlanStep {
  return {
    id: `scan:${lane.name}`,
    stage: 'scan',
    lane: lane.name,
    does: `Read ${lane.path === '.' ? 'the repository' : lane.path} again and hold it against this plan.`,
    commands: [],
    probes: [],
    rollback: NOTHING_TO_UNDO,
  };
}

function pickStep(lane: PlanLane): PlanStep {
  return {
    id: `pick:${lane.name}`,
    stage: 'pick',
    lane: lane.name,
    does: `Run ${lane.name} on ${lane.platform.chosen}: ${lane.platform.reason}`,
    commands: [],
    probes: [],
    rollback: NOTHING_TO_UNDO,
  };
}

function rehearseStep(lane: PlanLane): PlanStep {
  const commands = [lane.install, lane.build, lane.migrate, lane.start].filter(
    (command) => command !== null,
  );
  return {
    id: `rehearse:${lane.name}`,
    stage: 'rehearse',
    lane: lane.name,
    does:
      lane.kind === 'worker'
        ? `Start ${lane.name} in a throw-away copy and watch that it stays alive.`
        : `Start ${lane.name} in a throw-away copy, wait for an answer, and load it.`,
    commands,
    probes: lane.kind === 'worker' ? [] : [lane.health_path ?? '/'],
    rollback: 'The copy, its processes and its port are gone when the rehearsal ends.',
  };
}

function authorStep(files: readonly PlanFile[], repo: PlanRepo): PlanStep {
  const writes = changed(files).map(({ path }) => path);
  return {
    id: 'author',
    stage: 'author',
    lane: null,
    does: `Commit ${writes.join(', ')} to the branch convoy/<plan id>${
      repo.remote === null ? ' of this repository' : ''
    }; your own branch, index and files stay as they are.`,
    commands: [],
    probes: [],
    rollback: 'git branch -D convoy/<plan id> removes the branch; nothing else was touched.',
  };
}

function secretsStep(
  { lane, platform, staged }: PlanStaging['lanes'][number],
  file: string,
): PlanStep {
  return {
    id: `secrets:${lane}`,
    stage: 'secrets',
    lane,
    does: `Hand ${staged.join(', ')} from ${file} to ${platform}; values go nowhere else.`,
    commands: [],
    probes: [],
    rollback: `Put the former values into ${file} and apply again; they take the place of these.`,
  };
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`;
