import type { Problem } from '../../contract/problem.ts';
import { listPlans, makePlan, showPlan } from '../../contract/routes/ship.ts';
import type { PlanJson } from '../../contract/schemas/ship.ts';
import type { Plan } from '../../domain/ship/plan/plan.ts';
import { err, ok } from '../../lib/result.ts';
import { reads } from '../context.ts';
import type { ListedPlan } from '../../ports/plans.ts';
import { draftProblem, planProblem } from '../ship-problems.ts';

/** Makes a plan; saving it is the only thing that is written. */
export const planMake = reads(makePlan, async ({ body }, services) => {
  const { dashboard } = services;
  const { planner, plans } = await services.ship();
  const { target, platform, save, demo, parts, fly_app: flyApp, ai } = body;
  const wish = { target, platform: platform ?? null, demo, parts, flyApp, ai };
  const drafted = await planner.draft(wish);
  if (!drafted.ok) return err<Problem>(draftProblem(drafted.error));
  const plan = save ? await plans.save(drafted.value) : drafted.value;
  const page = save && dashboard !== null ? `${dashboard}/plans/${plan.id}` : null;
  return ok({ plan: planView(plan), saved: save, dashboard: page });
});

export const plansList = reads(listPlans, async (_, services) => {
  const { plans } = await services.ship();
  const all = await plans.list();
  return ok({ plans: all.map(rowOf) });
});

function rowOf(entry: ListedPlan) {
  if (entry.kind === 'edited')
    return {
      id: entry.id,
      state: 'edited' as const,
      hash: '',
      created_at: entry.changed_at,
      repo: '',
      source: '',
      deployable: false,
      summary: `Refused: ${entry.id} is not what was saved; plan again.`,
      lanes: [],
    };
  const { id, hash, created_at, repo, deployable, summary, lanes } = entry.plan;
  return {
    id,
    state: 'saved' as const,
    hash,
    created_at,
    repo: repo.name,
    source: repo.source,
    deployable,
    summary,
    lanes: lanes.map(({ name, platform }) => ({ name, platform: platform.chosen })),
  };
}

export const planShow = reads(showPlan, async ({ params }, services) => {
  const { plans } = await services.ship();
  const found = await plans.read(params.id);
  return found.ok ? ok({ plan: planView(found.value) }) : err<Problem>(planProblem(found.error));
});

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, without their read-only marks
export const planView = (plan: Plan): PlanJson => plan as unknown as PlanJson;
