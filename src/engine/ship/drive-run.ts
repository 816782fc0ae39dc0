import type { Run } from '../../domain/ship/run/run.ts';
import { ENDED } from '../../domain/ship/run/run.ts';
import { runAggregate } from '../../ledger/aggregates/run.ts';
import { voidApprovalsOf } from '../../ledger/approvals.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Variables } from '../../ports/ship.ts';
import { authorFiles } from './author-stage.ts';
import { hidingJournal } from './hide-values.ts';
import { mergePullRequest } from './pull-request-stage.ts';
import { journalOf, RunTaken, type Journal } from './journal.ts';
import { holdRun } from './lease.ts';
import { rehearseLanes } from './rehearse-lanes.ts';
import { secretValuesOf } from './secret-values.ts';
import { stageSecrets } from './secrets-stage.ts';
import { surveyLanes } from './survey-stages.ts';
import type { Standing, Voyage } from './voyage.ts';
import { SHIP_ENGINE, type ShipWorld } from './world.ts';

export type DriveWish = { readonly wait: boolean; readonly signal: AbortSignal };
export type DriveRefusal = { readonly kind: 'held-by-another' };

/**
 * Carries a run as far as it goes: to its end, to a person, or until told to stop.
 *
 * Everything is in the journal before and after it happens, so whoever drives the run next goes on
 * where this one was cut off.
 */
export async function driveRun(
  world: ShipWorld,
  id: string,
  wish: DriveWish,
): Promise<Result<Run, DriveRefusal>> {
  const hold = await holdRun(world, id);
  if (hold === null) return err({ kind: 'held-by-another' });
  const over = new AbortController();
  const watching = endWithRun(world, id, over);
  const signal = AbortSignal.any([wish.signal, hold.lost, over.signal]);
  const journal = journalOf(world, id);
  try {
    return ok(await carryOut(world, journal, { ...wish, signal }));
  } catch (error) {
    if (!(error instanceof RunTaken)) throw await noted(journal, error);
    return ok(await journal.now());
  } finally {
    over.abort();
    await watching;
    await hold.release();
  }
}

async function carryOut(world: ShipWorld, journal: Journal, wish: DriveWish): Promise<Run> {
  const before = await journal.now();
  if (before.status !== 'pending' && before.status !== 'awaiting_approval') return before;
  const run = await journal.write({ type: 'start' });
  const voyage = await openVoyage(world, journal, run, wish);
  if (!voyage.ok)
    return settle(world, journal, { kind: 'rest', status: 'failed', reason: voyage.error });
  return settle(world, voyage.value.journal, await sail(voyage.value));
}

async function openVoyage(
  world: ShipWorld,
  journal: Journal,
  run: Run,
  wish: DriveWish,
): Promise<Result<Voyage, string>> {
  const plan = await world.plans.read(run.plan);
  if (!plan.ok) return err(`The plan ${run.plan} cannot be read (${plan.error.kind}).`);
  if (plan.value.hash !== run.planHash) return err(`The plan ${run.plan} is another one now.`);
  const mark = await world.sources.mark(plan.value.repo.path);
  if (!mark.ok) return err(`${plan.value.repo.path} cannot be read (${mark.error.kind}).`);
  const env = await variablesOf(world, run);
  if (!env.ok) return env;
  const { options } = run;
  const secrets = await secretValuesOf(world.sources, plan.value.repo.path);
  return ok({
    world,
    journal: hidingJournal(journal, env.value, secrets),
    plan: plan.value,
    options,
    mark: mark.value,
    env: env.value,
    secrets,
    ...wish,
  });
}

async function variablesOf(world: ShipWorld, run: Run): Promise<Result<Variables, string>> {
  const own = await world.variables.read(run.id);
  const { envFile } = run.options;
  if (envFile === null) return ok(own);
  const file = await world.variables.readFile(envFile);
  return file.ok ? ok({ ...file.value, ...own }) : file;
}

/** All the stages there are, in their order; the first that does not pass says where we stand. */
async function sail(voyage: Voyage): Promise<Standing> {
  const surveyed = await surveyLanes(voyage);
  if ('stop' in surveyed) {
    const { stop } = surveyed;
    return stop.kind === 'stopped'
      ? { kind: 'rest', status: 'interrupted', reason: 'Stopped while looking at the repository.' }
      : { kind: 'rest', status: 'failed', reason: 'reason' in stop ? stop.reason : stop.kind };
  }
  return (
    (await rehearseLanes(voyage, surveyed.lanes)) ??
    (await authorFiles(voyage)) ??
    (await mergePullRequest(voyage)) ??
    (await stageSecrets(voyage)) ?? { kind: 'end', status: 'succeeded', reason: null }
  );
}

async function settle(world: ShipWorld, journal: Journal, standing: Standing): Promise<Run> {
  if (standing.kind === 'waiting') return journal.now();
  const { status, reason } = standing;
  if (standing.kind === 'rest')
    return journal.write({ type: 'rest', status: standing.status, reason: standing.reason });
  const run = await journal.write({ type: 'end', status: standing.status, reason });
  await world.variables.forget(run.id);
  if (status === 'rejected')
    await world.ledger.write(SHIP_ENGINE, async (tx) =>
      ok(await voidApprovalsOf(tx, run.id, 'the run has ended')),
    );
  return run;
}

/** A bug ends this driving, not the run: it rests as failed and can be resumed. */
async function noted(journal: Journal, error: unknown): Promise<unknown> {
  const reason = error instanceof Error ? error.message : String(error);
  await journal.write({ type: 'rest', status: 'failed', reason }).catch(() => {});
  return error;
}

/** Somebody may cancel the run meanwhile; then what it has under way must stop. */
async function endWithRun(world: ShipWorld, id: string, over: AbortController): Promise<void> {
  while (!over.signal.aborted) {
    const change = world.ledger.changes.next(over.signal);
    const run = (await runAggregate.load(world.ledger.db, id))?.state;
    if (run === undefined || ENDED.includes(run.status)) over.abort();
    await change;
  }
}
