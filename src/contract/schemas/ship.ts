import { z } from 'zod';
import { RUN_STATUSES, STAGE_STATUSES } from '../../domain/ship/run/run.ts';
import { SHIP_STAGES } from '../../domain/ship/plan/plan.ts';

export const platform = z.enum(['fly', 'railway', 'vercel', 'cloudrun', 'local']);
export const shipStage = z.enum(SHIP_STAGES);
export const runStatus = z.enum(RUN_STATUSES);

const evidence = z.looseObject({
  field: z.string(),
  value: z.string(),
  file: z.string(),
  line: z.number(),
  rule: z.string(),
});

const lane = z.looseObject({
  name: z.string(),
  kind: z.enum(['infra', 'backend', 'worker', 'frontend']),
  path: z.string(),
  depends_on: z.array(z.string()),
  ecosystem: z.string(),
  framework: z.string().nullable(),
  package_manager: z.string().nullable(),
  install: z.string().nullable(),
  build: z.string().nullable(),
  start: z.string().nullable(),
  port: z.number().nullable(),
  health_path: z.string().nullable(),
  datastores: z.array(z.string()),
  secrets: z.array(z.string()),
  platform: z.looseObject({
    chosen: platform,
    reason: z.string(),
    scores: z.record(z.string(), z.number()),
  }),
  evidence: z.array(evidence),
});

const risk = z.looseObject({
  level: z.enum(['block', 'warn', 'note']),
  code: z.string(),
  message: z.string(),
  lane: z.string().nullable(),
});

/** A plan on the wire is the plan in its file. */
export const plan = z.looseObject({
  id: z.string(),
  hash: z.string(),
  created_at: z.string(),
  repo: z.looseObject({
    name: z.string(),
    path: z.string(),
    source: z.string(),
    sha: z.string().nullable(),
    branch: z.string().nullable(),
    dirty: z.array(z.string()),
    dirty_digest: z.string(),
  }),
  options: z.looseObject({ platform: platform.nullable(), demo: z.boolean() }),
  wording: z.object({ by: z.enum(['template', 'model']), because: z.string().nullable() }),
  deployable: z.boolean(),
  reason: z.string(),
  summary: z.string(),
  narrative: z.string(),
  lanes: z.array(lane),
  files: z.array(
    z.looseObject({
      path: z.string(),
      content: z.string(),
      action: z.string(),
      reason: z.string(),
      lane: z.string().nullable(),
    }),
  ),
  steps: z.array(
    z.looseObject({
      id: z.string(),
      stage: shipStage,
      lane: z.string().nullable(),
      does: z.string(),
      commands: z.array(z.string()),
      probes: z.array(z.string()),
      rollback: z.string(),
    }),
  ),
  approvals: z.array(
    z.looseObject({ kind: z.string(), lane: z.string().nullable(), summary: z.string() }),
  ),
  rollback: z.array(z.object({ step: z.string(), text: z.string() })),
  secrets: z.array(z.object({ lane: z.string(), name: z.string() })),
  staging: z.looseObject({
    file: z.string(),
    state: z.enum(['absent', 'refused', 'read']),
    reason: z.string().nullable(),
    lanes: z.array(
      z.looseObject({
        lane: z.string(),
        platform,
        staged: z.array(z.string()),
        by_hand: z.array(z.string()),
        missing: z.array(z.string()),
      }),
    ),
  }),
  thresholds: z.looseObject({ max_error_rate: z.number(), max_p99_ms: z.number() }),
  risks: z.array(risk),
});
export type PlanJson = z.output<typeof plan>;

export const diagnosis = z.object({
  lane: z.string(),
  root_cause: z.string(),
  classification: z.enum(['code', 'config', 'infra']),
  confidence: z.enum(['high', 'medium', 'low']),
  owned: z.enum(['developer', 'convoy']),
  fix: z.string(),
  reproduction: z.string(),
  evidence: z.array(
    z.object({ file: z.string().optional(), line: z.number().optional(), text: z.string() }),
  ),
  by: z.enum(['model', 'rules']).optional().describe('Left out where no model was to have a part'),
  because: z.string().optional().describe('Why the rules had to answer for the model'),
});
export type DiagnosisJson = z.output<typeof diagnosis>;

export const run = z.object({
  id: z.string(),
  plan_id: z.string(),
  status: runStatus,
  reason: z.string().nullable().describe('Why it does not go on by itself, or how it ended'),
  demo: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  ended_at: z.string().nullable(),
  stages: z.array(
    z.object({
      lane: z.string().nullable(),
      stage: shipStage,
      status: z.enum(STAGE_STATUSES),
      round: z.number(),
      started_at: z.string(),
      ended_at: z.string().nullable(),
      evidence: z.record(z.string(), z.unknown()),
    }),
  ),
  approvals: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      lane: z.string().nullable(),
      status: z.string(),
      summary: z.string(),
      subject_hash: z.string(),
    }),
  ),
  diagnosis: diagnosis.nullable(),
  diagnoses: z.array(diagnosis),
  dashboard: z.string().nullable(),
});
export type RunJson = z.output<typeof run>;

/** What an apply may be asked for besides its plan; all of it is kept for a resume. */
export const runOptions = z.strictObject({
  auto_approve: z.boolean().optional(),
  trust_repo: z.boolean().optional(),
  demo: z.boolean().optional(),
  inject_failure: shipStage.optional(),
  real_rehearsal: z.boolean().optional(),
  real_author: z.boolean().optional(),
  probe_paths: z.array(z.string().startsWith('/').max(2000)).max(20).optional(),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/, 'a variable name'), z.string().max(100_000))
    .optional()
    .describe('Values stay out of the ledger and go when the run ends'),
  env_file: z.string().max(4096).optional(),
  allow_drift: z.boolean().optional(),
  ai: z
    .boolean()
    .optional()
    .describe('Whether a model helps the medic; left out: when there is one'),
  auto_merge: z.boolean().optional().describe('False: the pull request is left for a person'),
  fly_app: z
    .string()
    .max(200)
    .optional()
    .describe('Must be what the plan calls it; another name needs another plan'),
  fix: z.literal('agent').optional().describe('An agent mends what is for the developer'),
});
export type RunOptionsJson = z.output<typeof runOptions>;
