import * as z from 'zod';
import { pullRequest } from './pull-request.ts';
import { idText, label, repoName, taskStatus, taskType, title } from './words.ts';
import { finding } from './finding.ts';
import { asks, misdeed } from './task.ts';

export const CONVOY_STATUSES = [
  'staged_ready',
  'staged_warnings',
  'open',
  'paused',
  'stalled',
  'landing',
  'landed',
  'closed',
  'cancelled',
] as const;
export const convoyStatus = z.enum(CONVOY_STATUSES);

export const budget = z.strictObject({
  usd: z.number().min(0).optional(),
  tokens: z.number().int().min(0).optional(),
  minutes: z.number().min(0).optional(),
  attempts: z.number().int().min(0).optional(),
});

/** What a person may choose about a convoy, now or later. Kept across a re-stage. */
export const convoyOptions = z
  .strictObject({
    owner: z.string().trim().min(1).max(200),
    notify: z.array(z.string().trim().min(1)).max(50),
    merge_mode: z.enum(['review-then-land', 'review-and-merge']),
    base_branches: z.record(repoName, z.string().trim().min(1).max(250)),
    max_parallel: z.number().int().min(1).max(10_000).nullable(),
    budget: budget,
    review: z.enum(['none', 'agent', 'human', 'both']).nullable(),
    failure_policy: z.enum(['hold', 'continue']).nullable(),
    auto_ship: z.enum(['never', 'landed']).nullable(),
    labels: z.array(label).max(100),
    owned: z.boolean(),
  })
  .partial();

export const newConvoy = convoyOptions.extend({
  title: title.optional(),
  tasks: z.array(idText).max(100_000).default([]),
  from_epic: idText.optional(),
  launch: z.boolean().default(false),
});

export const convoyEdit = convoyOptions.extend({ title: title.optional() });

export const progress = z.object({
  required: z.number(),
  done: z.number(),
  merged: z.number(),
  closed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  running: z.number(),
  queued: z.number(),
});

export const convoyRow = z.object({
  id: z.string(),
  title: z.string(),
  status: convoyStatus,
  feeding: z.boolean(),
  progress: progress,
  created_at: z.string(),
});

export const convoyTask = z.object({
  id: z.string(),
  title: z.string(),
  type: taskType,
  repo: z.string().nullable(),
  status: taskStatus,
  wave: z.number().nullable(),
  blocked_by: z.array(z.string()),
  attempts: z.number(),
  worker: z.string().nullable(),
  merged_commit: z.string().nullable(),
  unverified: z.boolean(),
  last_error: z.string().nullable(),
  asks: z.array(asks).describe('What its agent waits to hear from a person'),
  misdeeds: z
    .array(misdeed)
    .describe('What its agents did outside their worktrees, as far as seen'),
  queue: z
    .object({ change: z.string(), state: z.string(), position: z.number().nullable() })
    .nullable()
    .describe('Where the change of a submitted task stands'),
});

export const landing = z.object({
  repo: z.string(),
  target: z.string(),
  commit: z.string(),
  proof: z.string(),
});

export const review = z.object({
  id: z.string(),
  repo: z.string(),
  change: z.string().nullable().describe('The change it is about; null for the whole landing'),
  tree: z.string().describe('The tree it is about; a verdict says nothing about another one'),
  status: z.enum(['waiting', 'running', 'approved', 'rejected', 'failed']),
  by: z
    .string()
    .nullable()
    .describe('The agent that reviews, or `model` for the built-in reviewer'),
  tries: z.number(),
  findings: z.array(finding),
  reason: z.string().nullable().describe('Why the last try gave no verdict'),
  usd: z.number(),
  tokens: z.number(),
});

export const forecast = z.object({
  repo: z.string(),
  tasks: z.tuple([z.string(), z.string()]),
  between: z.tuple([z.string(), z.string()]).describe('The attempts or changes that collide'),
  files: z.array(z.string()),
});

export const remoteBranches = z.object({
  repo: z.string(),
  pushed: z.number().describe('Branches whose newest commit is on origin'),
  waiting: z.number().describe('Branches that are to be pushed'),
  leaving: z.number().describe('Branches that are to be deleted on origin'),
  removed: z.number(),
  trouble: z.string().nullable().describe('Why nothing gets through to origin'),
  branches: z
    .array(z.object({ branch: z.string(), state: z.string(), reason: z.string() }))
    .describe('Those that origin refuses or that somebody else works on; the first 20'),
});

export const convoy = convoyRow.extend({
  owner: z.string().nullable(),
  owned: z.boolean(),
  notify: z.array(z.string()),
  watchers: z.array(z.string()),
  merge_mode: z.string().nullable(),
  base_branches: z.record(z.string(), z.string()),
  integration_branch: z.string(),
  branch_pending: z
    .string()
    .nullable()
    .describe('Why that branch is not on the remotes yet; nothing starts before it is'),
  remotes: z.array(remoteBranches),
  max_parallel: z.number().nullable(),
  budget: budget,
  failure_policy: z.string().nullable(),
  auto_ship: z.string().nullable(),
  labels: z.array(z.string()),
  reason: z.string().nullable().describe('Why it is stalled, paused, closed or cancelled'),
  tasks: z.array(convoyTask),
  landed_at: z.string().nullable().describe('When git proved that everything is in its target'),
  review: z.array(review),
  conflicts_ahead: z
    .array(forecast)
    .describe('Work under way that does not merge with each other as it stands; a forecast only'),
  approvals: z.array(z.unknown()),
  landings: z.array(landing),
  pull_requests: z.array(
    pullRequest.extend({ change: z.string(), task: z.string(), repo: z.string() }),
  ),
  cost: z.object({ usd: z.number(), tokens: z.number(), minutes: z.number() }),
  spending: z
    .object({ level: z.enum(['near', 'spent']), words: z.string() })
    .nullable()
    .describe('How far the budget is used up, from four fifths on'),
  eta: z
    .string()
    .nullable()
    .describe(
      'When it will be through if everything takes as long as it mostly did here and nothing fails; null when nothing was measured or a person has to act first',
    ),
});

export type ConvoyJson = z.output<typeof convoy>;
export type ConvoyRowJson = z.output<typeof convoyRow>;
export type ConvoyTaskJson = z.output<typeof convoyTask>;
export type ConvoyOptionsJson = z.output<typeof convoyOptions>;
export type ProgressJson = z.output<typeof progress>;
