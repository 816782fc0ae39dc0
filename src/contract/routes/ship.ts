import { z } from 'zod';
import { route } from '../route.ts';
import { plan, platform, run, runOptions, runStatus } from '../schemas/ship.ts';
import { cursor, idText, limit, list, reason, schemaTag } from '../schemas/words.ts';

const byId = z.object({ id: idText });
const onePlan = z.object({ schema: schemaTag, plan });
const oneRun = z.object({ schema: schemaTag, run });

export const makePlan = route({
  id: 'plan.make',
  method: 'POST',
  path: '/plans',
  summary: 'Say exactly what apply would do to a repository; runs and changes nothing there',
  body: z.strictObject({
    target: z
      .string()
      .trim()
      .min(1)
      .max(4096)
      .describe('An absolute path, an address or owner/name'),
    platform: platform.optional(),
    save: z.boolean().default(false),
    demo: z.boolean().default(false),
    parts: z
      .array(z.string().trim().min(1).max(500))
      .max(100)
      .optional()
      .describe('Only these parts of a monorepo, by name or directory'),
    fly_app: z.string().max(200).optional().describe('The name of the application on Fly.io'),
    ai: z.boolean().optional().describe('Whether a model words it; left out: when there is one'),
  }),
  output: onePlan.extend({ saved: z.boolean(), dashboard: z.string().nullable() }),
});

export const listPlans = route({
  id: 'plan.list',
  method: 'GET',
  path: '/plans',
  summary: 'Saved plans, newest first',
  output: z.object({
    schema: schemaTag,
    plans: z.array(
      z.object({
        id: z.string(),
        state: z.enum(['saved', 'edited']).describe('An edited plan is refused by apply'),
        hash: z.string(),
        created_at: z.string(),
        repo: z.string(),
        source: z.string(),
        deployable: z.boolean(),
        summary: z.string(),
        lanes: z.array(z.object({ name: z.string(), platform: z.string() })),
      }),
    ),
  }),
});

export const showPlan = route({
  id: 'plan.show',
  method: 'GET',
  path: '/plans/{id}',
  summary: 'One saved plan',
  params: byId,
  output: onePlan,
});

export const createRun = route({
  id: 'run.create',
  method: 'POST',
  path: '/runs',
  summary: 'Apply a saved plan, unless the repository has changed or a run of it is under way',
  body: z.strictObject({ plan: idText, options: runOptions.default({}) }),
  output: oneRun,
});

export const listRuns = route({
  id: 'run.list',
  method: 'GET',
  path: '/runs',
  summary: 'Runs, newest first',
  query: z.object({
    status: list.pipe(z.array(runStatus)).optional(),
    plan: z.string().max(200).optional(),
    limit,
    cursor,
  }),
  output: z.object({ schema: schemaTag, runs: z.array(run), next: z.string().nullable() }),
});

export const showRun = route({
  id: 'run.show',
  method: 'GET',
  path: '/runs/{id}',
  summary: 'One run with its stages, approvals and diagnoses',
  params: byId,
  output: oneRun,
});

export const resumeRun = route({
  id: 'run.resume',
  method: 'POST',
  path: '/runs/{id}/resume',
  summary: 'Go on with a run that waits, was cut off or failed; `latest` means the newest of those',
  params: byId,
  body: z.strictObject({ options: runOptions.default({}), fresh: z.boolean().default(false) }),
  output: oneRun.extend({ before: z.object({ status: runStatus, reason: z.string().nullable() }) }),
});

export const cancelRun = route({
  id: 'run.cancel',
  method: 'POST',
  path: '/runs/{id}/cancel',
  summary: 'Give a run up; what it has under way stops',
  params: byId,
  body: z.strictObject({ reason: reason.optional() }),
  output: oneRun,
});
