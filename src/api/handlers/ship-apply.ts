import type { Problem } from '../../contract/problem.ts';
import { cancelRun, createRun, resumeRun } from '../../contract/routes/ship.ts';
import type { RunOptionsJson } from '../../contract/schemas/ship.ts';
import { driftOf } from '../../domain/ship/plan/drift.ts';
import type { Plan } from '../../domain/ship/plan/plan.ts';
import { type RunOptions, USUAL_OPTIONS } from '../../domain/ship/run/run-options.ts';
import { ENDED, RESUMABLE, type Run } from '../../domain/ship/run/run.ts';
import { runAggregate } from '../../ledger/aggregates/run.ts';
import { voidApprovalsOf } from '../../ledger/approvals.ts';
import { runList } from '../../ledger/queries/runs.ts';
import { changeRun } from '../../ledger/runs.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Ids } from '../../ports/ids.ts';
import { reads, type Services } from '../context.ts';
import { findRun } from '../find-run.ts';
import { noticeLost } from '../lost-runs.ts';
import { conflict, notFound, refused } from '../problems.ts';
import { planProblem, sourceProblem } from '../ship-problems.ts';
import { mergedOptions } from '../run-options.ts';
import { runView } from '../view/run-view.ts';

/** Opens a run of a plan. Whoever carries runs out takes it from there. */
export const runCreate = reads(createRun, async ({ body, actor }, services) => {
  const { ledger, ids, dashboard } = services;
  const { plans, variables } = await services.ship();
  const plan = await plans.read(body.plan);
  if (!plan.ok) return err<Problem>(planProblem(plan.error));
  const options = mergedOptions(USUAL_OPTIONS, body.options, plan.value.options.demo);
  const cannot = unable(plan.value, body.options);
  if (!cannot.ok) return cannot;
  const objection = await objectionTo(plan.value, options, services);
  if (!objection.ok) return objection;
  await noticeLost(services);
  const opened = await ledger.write(actor, async (tx) => {
    const run = await open(tx, ids, plan.value, options);
    // Before the commit: whoever sees the run must find its variables.
    if (run.ok) await variables.keep(run.value.id, body.options.env ?? {});
    return run;
  });
  if (!opened.ok) return opened;
  return ok({ run: await runView(ledger.db, opened.value, dashboard) });
});

/** What is asked and cannot be done; said at once instead of being left out. */
function unable(plan: Plan, asked: RunOptionsJson): Result<null, Problem> {
  if (asked.fix === 'agent')
    return refused(
      'fix_by_agent',
      'A run cannot hand its fixes to an agent yet.',
      'Mend what the card names, or create a task for it, then convoy resume.',
    );
  const { fly_app: wanted } = asked;
  if (wanted !== undefined && wanted !== plan.options.fly_app)
    return refused(
      'another_fly_app',
      `${plan.id} ${plan.options.fly_app === null ? 'names no application' : `calls the application ${plan.options.fly_app}`}, not ${wanted}.`,
      `Its files are fixed: convoy plan ${plan.repo.source} --save --platform fly --fly-app ${wanted}`,
    );
  return ok(null);
}

/** A plan that must not be carried out now, before anything has happened. */
async function objectionTo(
  plan: Plan,
  options: RunOptions,
  services: Services,
): Promise<Result<null, Problem>> {
  if (!plan.deployable)
    return refused(
      'not_deployable',
      `${plan.repo.name} is not deployed: ${plan.reason}`,
      'Plan the directory of a service instead.',
    );
  const blocks = plan.risks.filter(({ level }) => level === 'block');
  if (blocks.length > 0)
    return refused(
      'plan_blocked',
      `${plan.id} cannot be applied: ${blocks.map(({ message }) => message).join(' ')}`,
      'Mend that, or choose another platform, and plan again.',
    );
  if (options.injectFailure !== null && !options.demo)
    return refused(
      'demo_only',
      'A failure is injected into demos only.',
      'Add --demo, which runs the example service.',
    );
  if (options.allowDrift) return ok(null);
  const { sources } = await services.ship();
  const now = await sources.mark(plan.repo.path);
  if (!now.ok) return err(sourceProblem(now.error));
  const drift = driftOf(plan.repo, now.value);
  return drift.length === 0
    ? ok(null)
    : conflict(
        'plan_stale',
        `${plan.repo.name} has changed since ${plan.id} was made: ${drift.join('; ')}.`,
        'Plan again, or apply with --allow-drift to go on with what is there now.',
      );
}

const ID_LENGTH = 5;

async function open(
  tx: Tx,
  ids: Ids,
  plan: Plan,
  options: RunOptions,
): Promise<Result<Run, Problem>> {
  await tx.alone(`plan ${plan.id}`);
  const [other] = (await runList(tx.db, { plan: plan.id, limit: 100 })).filter(
    ({ status }) => !ENDED.includes(status) && status !== 'failed',
  );
  if (other !== undefined)
    return conflict(
      'run_under_way',
      `${plan.id} is being applied by ${other.id}, which is ${other.status}.`,
      `convoy resume ${other.id} goes on with it; convoy cancel ${other.id} gives it up.`,
    );
  const id = await freshId(tx, ids);
  return ok(
    await tx.record(runAggregate, id, [
      { type: 'run-opened', id, plan: plan.id, planHash: plan.hash, options },
    ]),
  );
}

async function freshId(tx: Tx, ids: Ids): Promise<string> {
  for (;;) {
    const id = `run-${ids.base36(ID_LENGTH)}`;
    if ((await tx.load(runAggregate, id)) === null) return id;
  }
}

/** Puts a run that rests back into the line; its journal says where it goes on. */
export const runResume = reads(resumeRun, async ({ params, body, actor }, services) => {
  const { ledger, dashboard } = services;
  const { plans, variables } = await services.ship();
  await noticeLost(services);
  const found = await resumable(services, params.id);
  if (!found.ok) return found;
  const before = found.value;
  const plan = await plans.read(before.plan);
  if (!plan.ok) return err<Problem>(planProblem(plan.error));
  const cannot = unable(plan.value, body.options);
  if (!cannot.ok) return cannot;
  const options = mergedOptions(before.options, body.options, before.options.demo);
  const resumed = await ledger.write(actor, async (tx) => {
    const changed = await changeRun(tx, before.id, { type: 'resume', options, fresh: body.fresh });
    if (changed.ok && body.options.env !== undefined)
      await variables.keep(before.id, body.options.env);
    return changed;
  });
  if (!resumed.ok)
    return refused(
      'wrong_state',
      `${before.id} is ${resumed.error.status}; there is nothing to resume.`,
      `convoy status ${before.id}`,
    );
  return ok({
    run: await runView(ledger.db, resumed.value, dashboard),
    before: { status: before.status, reason: before.reason },
  });
});

async function resumable({ ledger }: Services, id: string): Promise<Result<Run, Problem>> {
  if (id !== 'latest') return findRun(ledger.db, id);
  const [latest] = await runList(ledger.db, { status: RESUMABLE, limit: 1 });
  return latest === undefined
    ? notFound('no_run', 'No run waits to be resumed.', 'convoy runs shows all of them.')
    : ok(latest);
}

export const runCancel = reads(cancelRun, async ({ params, body, actor }, services) => {
  const { ledger, dashboard } = services;
  const found = await findRun(ledger.db, params.id);
  if (!found.ok) return found;
  const { id } = found.value;
  const reason = body.reason ?? 'given up';
  const ended = await ledger.write(actor, async (tx) => {
    const changed = await changeRun(tx, id, { type: 'end', status: 'cancelled', reason });
    if (changed.ok) await voidApprovalsOf(tx, id, 'the run was cancelled');
    return changed;
  });
  if (!ended.ok)
    return refused('wrong_state', `${id} is ${ended.error.status} already.`, `convoy status ${id}`);
  await (await services.ship()).variables.forget(id);
  return ok({ run: await runView(ledger.db, ended.value, dashboard) });
});
