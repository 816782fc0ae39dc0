import type { Problem } from '../../contract/problem.ts';
import { listPlans, makePlan, showPlan } from '../../contract/routes/ship.ts';
import type { PlanJson } from '../../contract/schemas/ship.ts';
import type { Plan } from '../../domain/ship/plan/plan.ts';
import { err, ok } from '../../lib/result.ts';
import { reads } from '../context.ts';
import { planProblem, sourceProblem } from '../ship-problems.ts';

/** Makes a plan; saving it is the only thing that is written. */
export const planMake = reads(makePlan, async ({ body }, services) => {
  const { planner, plans } = await services.ship();
  const { target, platform, save, demo } = body;
  const drafted = await planner.draft({ target, platform: platform ?? null, demo });
  if (!drafted.ok) return err<Problem>(sourceProblem(drafted.error));
  const plan = save ? await plans.save(drafted.value) : drafted.value;
  return ok({ plan: planView(plan), saved: save });
});

export const plansList = reads(listPlans, async (_, services) => {
  const { plans } = await services.ship();
  const all = await plans.list();
  return ok({
    plans: all.map((plan) => ({
      id: plan.id,
      hash: plan.hash,
      created_at: plan.created_at,
      repo: plan.repo.name,
      source: plan.repo.source,
      deployable: plan.deployable,
      summary: plan.summary,
      lanes: plan.lanes.map(({ name, platform }) => ({ name, platform: platform.chosen })),
    })),
  });
});

export const planShow = reads(showPlan, async ({ params }, services) => {
  const { plans } = await services.ship();
  const found = await plans.read(params.id);
  return found.ok ? ok({ plan: planView(found.value) }) : err<Problem>(planProblem(found.error));
});

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, without their read-only marks
export const planView = (plan: Plan): PlanJson => plan as unknown as PlanJson;
