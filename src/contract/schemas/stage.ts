import * as z from 'zod';
import { convoyOptions } from './convoy.ts';
import { idText, schemaTag, taskStatus, taskType, title } from './words.ts';

export const stageRequest = convoyOptions.extend({
  targets: z.array(idText).min(1).max(100_000),
  title: title.optional(),
  launch: z.boolean().default(false),
  force: z.boolean().default(false),
  create_branches: z.boolean().default(false),
  infer_blocks: z.boolean().default(false),
  max_depth: z.number().int().min(1).max(100).optional(),
});

export const finding = z.object({
  code: z.string(),
  message: z.string(),
  ids: z.array(z.string()),
  fix: z.string(),
});

export const treeNode = z.object({
  id: z.string(),
  title: z.string(),
  type: taskType,
  status: taskStatus,
  repo: z.string().nullable(),
  depth: z.number(),
  parent: z.string().nullable(),
  blocked_by: z.array(z.string()),
});

export const wave = z.object({
  number: z.number(),
  tasks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      repo: z.string().nullable(),
      blocked_by: z.array(z.string()),
    }),
  ),
});

export const stageReport = z.object({
  schema: schemaTag,
  status: z.enum(['staged_ready', 'staged_warnings', 'error']),
  convoy_id: z.string().nullable(),
  title: z.string(),
  restaged: z.boolean(),
  launched: z.boolean(),
  errors: z.array(finding),
  warnings: z.array(finding),
  notices: z.array(finding),
  waves: z.array(wave),
  gated: z.array(z.object({ id: z.string(), gated_by: z.array(z.string()) })),
  outside: z.array(z.object({ id: z.string(), blocked_by: z.array(z.string()) })),
  inferred: z.array(z.object({ id: z.string(), depends_on: z.string() })),
  tree: z.array(treeNode),
  critical_path: z.array(z.string()),
  estimate: z.object({ minutes: z.number(), critical_path_minutes: z.number() }),
});

export type StageReport = z.output<typeof stageReport>;
