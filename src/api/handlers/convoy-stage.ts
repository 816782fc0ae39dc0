import type { Problem } from '../../contract/problem.ts';
import type { BodyOf } from '../../contract/route.ts';
import { stageConvoy } from '../../contract/routes/convoys.ts';
import type { ConvoyOptions } from '../../domain/convoy/convoy.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import { type Findings, findings, type StagedRepo } from '../../domain/convoy/findings.ts';
import { newConvoy } from '../../domain/convoy/new-convoy.ts';
import { findCycles } from '../../domain/graph/cycles.ts';
import { inferBlocks } from '../../domain/graph/infer-blocks.ts';
import { waves, type Waves } from '../../domain/graph/waves.ts';
import type { WorkGraph } from '../../domain/graph/work-graph.ts';
import { type ConvoyId, convoyId, type TaskId } from '../../domain/work/ids.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { graphAround } from '../../ledger/queries/graph-around.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { Settings } from '../../ports/settings.ts';
import { type Services, writesAfter } from '../context.ts';
import { optionsOf } from '../options.ts';
import { settingsOf } from '../repos.ts';
import { gitBefore } from '../stage/git-before.ts';
import { createBases, type GitFacts, NOT_ASKED, stagedRepos } from '../stage/repos.ts';
import { failedReport, type Report, reportOf } from '../stage/report.ts';
import { type Batch, batchOf } from '../stage/targets.ts';
import { moveConvoy } from './convoy-moves.ts';

type Body = BodyOf<typeof stageConvoy>;

/** Checks a batch and stages it, whole or not at all. */
export const convoyStage = writesAfter(
  stageConvoy,
  ({ body }, services) => gitBefore(body, services),
  ({ body }, tx, services, git) => stageBatch(body, tx, services, git),
);

/** A batch with errors is an answer, not a refusal, and leaves nothing behind. */
export async function stageBatch(
  body: Body,
  tx: Tx,
  services: Services,
  git: GitFacts,
): Promise<Result<Report, Problem>> {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const options = optionsOf(body, settings.value);
  if (!options.ok) return options;
  await tx.alone('graph');
  const known = Object.keys(settings.value.repos);
  const batch = await batchOf(tx.db, body.targets, body.max_depth ?? null, known);
  if (!batch.ok) return ok(failedReport(body.title ?? '', batch.error));
  const look = async (asked: GitFacts): Promise<Seen> =>
    seenIn(batch.value, body, tx, services, settings.value, options.value, asked);
  let seen = await look(git);
  if (seen.findings.errors.length > 0) return ok(reportOf(batch.value, seen));
  if (body.create_branches && (await createBases(seen.repos.values(), settings.value, services)))
    seen = await look(NOT_ASKED);
  await recordInferred(seen.inferred, tx);
  const id = await record(batch.value, seen, body, tx, services, options.value);
  const launched = body.launch ? await launch(id, body.force, tx) : ok(false);
  if (!launched.ok) return launched;
  return ok({
    ...reportOf(batch.value, seen),
    status: verdictOf(seen.findings),
    convoy_id: id,
    restaged: batch.value.restage !== null,
    launched: launched.value,
  });
}

type Seen = {
  graph: WorkGraph;
  waves: Waves;
  findings: Findings;
  repos: ReadonlyMap<string, StagedRepo>;
  title: string;
  inferred: readonly { task: TaskId; on: TaskId }[];
};

async function seenIn(
  batch: Batch,
  body: Body,
  tx: Tx,
  services: Services,
  settings: Settings,
  options: Partial<ConvoyOptions>,
  git: GitFacts,
): Promise<Seen> {
  let graph = await graphAround(tx.db, batch.tasks);
  const inferred =
    body.infer_blocks && batch.epic !== null ? inferBlocks(graph, batch.epic.id) : [];
  if (inferred.length > 0) graph = withEdges(graph, inferred);
  const members = new Set(batch.members);
  const found = waves(graph, members);
  const chosen = { ...batch.restage?.options, ...options };
  const names = batch.members.flatMap((id) => graph.tasks.get(id)?.repo ?? []);
  const repos = await stagedRepos(names, tx, services, settings, chosen, git);
  return {
    graph,
    waves: found,
    inferred,
    repos,
    title: titleOf(batch, body),
    findings: findings({
      graph,
      members: batch.members,
      fromEpic: batch.epic !== null,
      cycles: findCycles(graph),
      leaving: await leavingOf(batch, tx),
      waves: found,
      repos,
      capacity:
        options.maxParallel ?? batch.restage?.options.maxParallel ?? settings.workspace.maxParallel,
    }),
  };
}

/** What the staged convoy tracks now and would not track any more. */
async function leavingOf({ restage, members }: Batch, tx: Tx): Promise<TaskId[]> {
  if (restage === null) return [];
  const staying = new Set(members);
  return (await convoyMembers(tx.db, restage.id)).filter((id) => !staying.has(id));
}

function withEdges(graph: WorkGraph, edges: readonly { task: TaskId; on: TaskId }[]): WorkGraph {
  const tasks = new Map(graph.tasks);
  for (const { task, on } of edges) {
    const known = tasks.get(task);
    if (known !== undefined)
      tasks.set(task, { ...known, dependencies: [...known.dependencies, { on, kind: 'blocks' }] });
  }
  return { ...graph, tasks };
}

async function recordInferred(
  edges: readonly { task: TaskId; on: TaskId }[],
  tx: Tx,
): Promise<void> {
  for (const { task, on } of edges)
    await tx.record(taskAggregate, task, [
      { type: 'dependency-added', dependency: { on, kind: 'blocks' } },
    ]);
}

async function record(
  batch: Batch,
  seen: Seen,
  body: Body,
  tx: Tx,
  services: Services,
  options: Partial<ConvoyOptions>,
): Promise<ConvoyId> {
  const verdict = verdictOf(seen.findings);
  const waveCount = seen.waves.waves.length;
  if (batch.restage !== null) {
    const { id } = batch.restage;
    const decision = decideConvoy(batch.restage, {
      type: 'restage',
      verdict,
      title: body.title ?? batch.restage.title,
      tasks: batch.members,
      members: await convoyMembers(tx.db, id),
      waveCount,
      options,
    });
    if (!decision.ok)
      throw new Error(`A staged convoy refused to be staged: ${decision.error.kind}`);
    await tx.record(convoyAggregate, id, decision.value);
    return id;
  }
  const id = await freshConvoyId(tx, services);
  const convoy = newConvoy(id, {
    title: seen.title,
    status: verdict,
    epic: batch.epic?.id ?? null,
    options,
    by: tx.actor,
    at: tx.at,
    waveCount,
  });
  await tx.record(convoyAggregate, id, [
    { type: 'convoy-created', convoy },
    { type: 'tasks-tracked', tasks: batch.members },
  ]);
  return id;
}

/** With warnings and no word from a person it stays staged, and the report says so. */
async function launch(id: ConvoyId, force: boolean, tx: Tx): Promise<Result<boolean, Problem>> {
  const stored = await tx.load(convoyAggregate, id);
  if (stored === null) throw new Error(`No convoy ${id}`);
  if (stored.state.status === 'staged_warnings' && !force) return ok(false);
  const moved = await moveConvoy(tx, stored.state, { type: 'launch', force });
  return moved.ok ? ok(true) : moved;
}

const CONVOY_ID_LENGTH = 5;

export async function freshConvoyId(tx: Tx, { ids }: Services): Promise<ConvoyId> {
  for (;;) {
    const id = convoyId(`cv-${ids.base36(CONVOY_ID_LENGTH)}`);
    if ((await tx.load(convoyAggregate, id)) === null) return id;
  }
}

function titleOf(batch: Batch, body: Body): string {
  const [only] = batch.tasks;
  if (body.title !== undefined) return body.title;
  if (batch.restage !== null) return batch.restage.title;
  if (batch.epic !== null) return batch.epic.title;
  return batch.tasks.length === 1 && only !== undefined
    ? `Work: ${only.title}`
    : `Batch: ${batch.members.length} tasks`;
}

const verdictOf = ({ warnings }: Findings): 'staged_ready' | 'staged_warnings' =>
  warnings.length > 0 ? 'staged_warnings' : 'staged_ready';
