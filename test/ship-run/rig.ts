import { createHash, randomBytes, randomInt } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { noForges } from '../../src/adapters/forges/none/no-forges.ts';
import { openLocalSecrets } from '../../src/adapters/plans/local-secrets.ts';
import { openPlanFiles } from '../../src/adapters/plans/plan-files.ts';
import { openRunVariables } from '../../src/adapters/plans/run-variables.ts';
import { openSources } from '../../src/adapters/plans/sources.ts';
import { directoryTree } from '../../src/adapters/scan/directory-tree.ts';
import { scan } from '../../src/adapters/scan/scan.ts';
import { isGone, plannedFiles, planner } from '../../src/daemon/ship.ts';
import { processStart } from '../../src/daemon/process-start.ts';
import type { Diagnosis } from '../../src/domain/ship/medic/diagnosis.ts';
import type { Plan, PlanFile } from '../../src/domain/ship/plan/plan.ts';
import type { RehearsalReport, RehearsalRequest } from '../../src/ports/rehearsal.ts';
import { type RunOptions, USUAL_OPTIONS } from '../../src/domain/ship/run/run-options.ts';
import type { Run } from '../../src/domain/ship/run/run.ts';
import type { ShipWorld } from '../../src/engine/ship/world.ts';
import { runAggregate } from '../../src/ledger/aggregates/run.ts';
import { openLedger, type Ledger } from '../../src/ledger/open.ts';
import { ok } from '../../src/lib/result.ts';
import type { Author } from '../../src/ports/author.ts';
import { repository, SERVICE } from './temp.ts';

/** What the scripted world did, one line per effect; it outlives the process that did it. */
export const effectsOf = (dir: string): string[] => {
  const file = join(dir, 'effects');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

export type Script = {
  /** How each rehearsal comes out, the last one for ever. */
  readonly verdicts?: readonly RehearsalReport['verdict'][];
  readonly owned?: Diagnosis['owned'];
  /** The file that the card points at. */
  readonly blames?: string;
  /** What every report says besides its verdict. */
  readonly report?: Partial<RehearsalReport>;
  /** Hears of every request for a rehearsal. */
  readonly onRequest?: (request: RehearsalRequest) => unknown;
  readonly onWrite?: (files: readonly PlanFile[]) => unknown;
  readonly medic?: ShipWorld['tools']['medic'];
  readonly improveFiles?: ShipWorld['tools']['improveFiles'];
  /** How files come out when they are made again. */
  readonly files?: ShipWorld['files'];
  /** Called while a rehearsal is under way. */
  readonly during?: (signal: AbortSignal) => Promise<void>;
};

export const OPTIONS = USUAL_OPTIONS;

const HEALTHY = { status: 'healthy', why: 'it answered' } as const;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A real ledger, real plans and a real repository; rehearsal, medic and author follow a script. */
export async function openWorld(
  dir: string,
  place: string,
  script: Script = {},
): Promise<ShipWorld> {
  const ledger = await openLedger(place, Date.now);
  const branch = { head: readHead(dir) };
  let rehearsals = 0;
  return {
    ledger,
    ids: { base36: (length) => Array.from({ length }, () => randomInt(36).toString(36)).join('') },
    plans: openPlanFiles({ dir: join(dir, 'plans'), key: 'key', digest: sha256 }),
    sources: openSources({ clonesDir: null, env: process.env, tree: directoryTree, scan }),
    variables: openRunVariables(join(dir, 'env')),
    secrets: openLocalSecrets(join(dir, 'secrets')),
    files: script.files ?? plannedFiles(process.env),
    rehearsal: {
      run: async (request, on, signal) => {
        script.onRequest?.(request);
        effect(
          dir,
          `rehearse ${request.lane.name} ${Object.keys(request.env).toSorted().join(',')}`,
        );
        const verdicts = script.verdicts ?? [HEALTHY];
        const verdict = verdicts[Math.min(rehearsals, verdicts.length - 1)] ?? HEALTHY;
        rehearsals += 1;
        on({ kind: 'note', text: 'under way' });
        await script.during?.(signal);
        const report = reportOf(request.lane.name, signal.aborted ? STOPPED : verdict);
        return { ...report, ...script.report };
      },
    },
    tools: {
      author: async () => ok(scriptedAuthor(dir, branch, script)),
      branchHead: async () => readHead(dir),
      repository: async () => null,
      forges: noForges('it is scripted'),
      improveFiles: script.improveFiles ?? (async () => new Map()),
      medic:
        script.medic ??
        (async () => ({
          diagnose: async ({ lane }) => ({
            rule: 'scripted',
            diagnosis: cardFor(lane, script),
          }),
        })),
    },
    digest: sha256,
    holder: [
      hostname(),
      process.pid,
      processStart(process.pid),
      randomBytes(4).toString('hex'),
    ].join(' '),
    isGone,
  };
}

const STOPPED = { status: 'stopped', step: 'start' } as const;

const effect = (dir: string, line: string): void =>
  appendFileSync(join(dir, 'effects'), `${line}\n`);

const readHead = (dir: string): string | null =>
  effectsOf(dir)
    .findLast((line) => line.startsWith('branch '))
    ?.slice('branch '.length) ?? null;

const unused = async (): Promise<never> => {
  throw new Error('Not in this test');
};

/** Commits the way the real one does: the same request makes the same commit. */
function scriptedAuthor(dir: string, branch: { head: string | null }, { onWrite }: Script): Author {
  return {
    survey: unused,
    plan: unused,
    carry: async () => ok({ base: '', tree: 'tree', files: [], withheld: [] }),
    release: async () => ok(undefined),
    perform: async (request) => {
      const commit = sha256(JSON.stringify([request.base, request.files, request.at])).slice(0, 40);
      const name = `convoy/${request.planId}`;
      branch.head = readHead(dir);
      if (branch.head !== commit && branch.head !== request.expected)
        return { ok: false, error: { kind: 'branch_moved', branch: name, now: branch.head } };
      if (branch.head !== commit) effect(dir, `branch ${commit}`);
      onWrite?.(request.files);
      return ok({
        branch: name,
        commit,
        fixCommit: null,
        worktree: '',
        owner: 'author',
        written: request.files.map(({ path }) => path),
        carried: [],
      });
    },
  };
}

const cardFor = (lane: string, { owned = 'developer', blames }: Script): Diagnosis => ({
  lane,
  rootCause: 'PORT is not read',
  classification: 'code',
  confidence: 'high',
  owned,
  fix: 'Read it.',
  reproduction: 'npm start',
  evidence: blames === undefined ? [] : [{ file: blames, line: 1, text: '' }],
});

function reportOf(lane: string, verdict: RehearsalReport['verdict']): RehearsalReport {
  return {
    lane,
    verdict,
    isolation: 'process group only',
    steps: [],
    readiness: null,
    healthPath: '/health',
    probes: [],
    load: null,
    app: null,
    usage: null,
    comparison: null,
    stats: null,
    migrations: 'none',
    datastores: [],
    notes: [],
    logTail: '',
    teardown: { endedWhenAsked: null, killed: 0, left: [] },
    totalMs: 1,
  };
}

/** A saved plan of a small service, and a run of it. */
export async function openRun(
  dir: string,
  world: ShipWorld,
  options: Partial<RunOptions> = {},
  files: Readonly<Record<string, string>> = SERVICE,
): Promise<{ readonly plan: Plan; readonly run: string; readonly repo: string }> {
  const repo = repository(join(dir, 'repo'), files);
  const drafted = await planner(process.env).draft({
    target: repo,
    platform: 'local',
    demo: false,
  });
  if (!drafted.ok) throw new Error(drafted.error.kind);
  const plan = await world.plans.save(drafted.value);
  const run = `run-${world.ids.base36(5)}`;
  await world.ledger.write('test', async (tx) =>
    ok(
      await tx.record(runAggregate, run, [
        {
          type: 'run-opened',
          id: run,
          plan: plan.id,
          planHash: plan.hash,
          options: { ...OPTIONS, ...options },
        },
      ]),
    ),
  );
  return { plan, run, repo };
}

export async function readRun(ledger: Ledger, id: string): Promise<Run> {
  const stored = await runAggregate.load(ledger.db, id);
  if (stored === null) throw new Error(`no run ${id}`);
  return stored.state;
}
