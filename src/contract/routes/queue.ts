import { z } from 'zod';
import { route } from '../route.ts';
import { pullRequest } from '../schemas/pull-request.ts';
import { flag, idText, reason, repoName, schemaTag } from '../schemas/words.ts';

export const changeState = z.enum([
  'queued',
  'verifying',
  'waiting_push',
  'merged',
  'conflicted',
  'red',
  'withdrawn',
]);

export const queueEntry = z.object({
  id: z.string(),
  task: z.string().describe('The task, or the convoy of a landing'),
  title: z.string(),
  convoy: z.string().nullable(),
  repo: z.string(),
  target: z.string(),
  head: z.string(),
  state: changeState,
  position: z.number().nullable().describe('From 1; null when it is not in the queue'),
  waiting_s: z.number(),
  landing: z.boolean(),
  reason: z.string().nullable().describe('Why it waits or has left'),
  conflict_age_s: z
    .number()
    .nullable()
    .describe('How long its conflict is unresolved, tries that conflicted again included'),
  escalated: z.boolean().describe('People were told that the conflict is over the limit'),
  pull_request: pullRequest.nullable(),
});

export const queueState = z.object({
  repo: z.string(),
  target: z.string().describe('`*` stands for every target of the repo'),
  paused: z.boolean(),
  by: z.enum(['gate', 'person']).nullable(),
  reason: z.string().nullable(),
  held: z.string().nullable().describe('Why the target cannot be moved at the moment'),
  stalled_since: z
    .string()
    .nullable()
    .describe('Since when it does not move although it could; it was started again'),
  merged: z.number(),
  red: z.number(),
});

const verification = z.object({
  id: z.string(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  outcome: z.enum(['green', 'red', 'errored', 'cancelled']).nullable(),
  retried: z
    .array(z.object({ gate: z.string(), tries: z.array(z.string()) }))
    .describe('Gates that were run more than once, with how each try ended'),
});

export const queueDetail = queueEntry.extend({
  attempt: z.string(),
  base: z.string(),
  priority: z.number(),
  enqueued_at: z.string(),
  conflict: z.object({ onto: z.string(), paths: z.array(z.string()) }).nullable(),
  failure: z
    .object({ onto: z.string(), tree: z.string(), gate: z.string(), log: z.string() })
    .nullable(),
  merged: z.object({ commit: z.string(), tree: z.string(), proof: z.string() }).nullable(),
  verifications: z.array(verification).describe('Every gate run it was part of, the first first'),
});

const one = z.object({ schema: schemaTag, entry: queueDetail });
const byId = z.object({ id: idText.describe('A change, or the task whose last change is meant') });
const because = z.strictObject({ reason: reason.optional() });
const which = z.strictObject({
  repo: repoName.optional(),
  target: z.string().trim().min(1).max(250).optional(),
  reason: reason.optional(),
});
const queues = z.object({ schema: schemaTag, queues: z.array(queueState) });

export const listQueue = route({
  id: 'queue.list',
  method: 'GET',
  path: '/queue',
  summary: 'Changes on their way into a target, in their order',
  query: z.object({
    repo: repoName.optional(),
    target: z.string().max(250).optional(),
    all: flag.optional().describe('Also those that left without landing'),
  }),
  output: z.object({
    schema: schemaTag,
    entries: z.array(queueEntry),
    paused: z.boolean().describe('Any of the queues shown is paused'),
    reason: z.string().nullable(),
    queues: z.array(queueState),
  }),
});

export const showChange = route({
  id: 'queue.show',
  method: 'GET',
  path: '/queue/{id}',
  summary: 'One change with what gates and git said about it',
  params: byId,
  output: one,
});

export const retryChange = route({
  id: 'queue.retry',
  method: 'POST',
  path: '/queue/{id}/retry',
  summary: 'Verify a change again, as if its gates had never answered',
  roles: ['manager'],
  params: byId,
  body: because,
  output: one,
});

export const rejectChange = route({
  id: 'queue.reject',
  method: 'POST',
  path: '/queue/{id}/reject',
  summary: 'Take a change out of the queue; its task goes back to open with the reason',
  roles: ['manager'],
  params: byId,
  body: because,
  output: one,
});

export const moveChange = route({
  id: 'queue.move',
  method: 'POST',
  path: '/queue/{id}/move',
  summary: 'Put a change at another place of its queue',
  roles: ['manager'],
  params: byId,
  body: z.strictObject({ to: z.number().int().min(1).max(100_000) }),
  output: one,
});

export const pauseQueue = route({
  id: 'queue.pause',
  method: 'POST',
  path: '/queues/pause',
  summary: 'Verify and land nothing, in one queue, one repo or everywhere',
  roles: ['manager'],
  body: which,
  output: queues,
});

export const resumeQueue = route({
  id: 'queue.resume',
  method: 'POST',
  path: '/queues/resume',
  summary: 'Go on after a pause or a broken gate',
  roles: ['manager'],
  body: which,
  output: queues.extend({
    origins: z.array(z.string()).describe('Repos whose remote is asked again at once'),
  }),
});

export type QueueEntryJson = z.output<typeof queueEntry>;
export type QueueDetailJson = z.output<typeof queueDetail>;
export type QueueStateJson = z.output<typeof queueState>;

const outlook = z.object({
  repo: z.string(),
  target: z.string(),
  head: z.string().nullable().describe('The head of the integration branch'),
  state: z.enum(['clean', 'conflicted', 'contained', 'no_branch']),
  conflicts: z.array(z.string()),
});

const worktree = z.object({
  repo: z.string(),
  attempt: z.string(),
  task: z.string(),
  path: z.string(),
});
export type HeldWorktreeJson = z.output<typeof worktree>;

export const previewLanding = route({
  id: 'convoy.landing',
  method: 'GET',
  path: '/convoys/{id}/landing',
  summary: 'What landing a convoy or a sub-epic now would do, repo by repo',
  params: z.object({ id: idText }),
  output: z.object({
    schema: schemaTag,
    convoy_id: z.string(),
    epic: z.string().nullable().describe('The sub-epic, where one was named'),
    status: z.string(),
    open: z.array(z.string()).describe('Tasks that are not done; they refuse a landing'),
    landings: z.array(outlook),
    worktrees: z.array(worktree).describe('What attempts at this work have not given back'),
  }),
});

export const landConvoy = route({
  id: 'convoy.land',
  method: 'POST',
  path: '/convoys/{id}/land',
  summary:
    'Land a convoy that waits for its owner, or try a failed landing again, also of a sub-epic',
  roles: ['manager'],
  params: z.object({ id: idText }),
  body: because.extend({
    keep_worktrees: z.boolean().optional().describe('Attempts from now on keep theirs'),
  }),
  output: z.object({
    schema: schemaTag,
    convoy_id: z.string(),
    epic: z.string().nullable(),
    status: z.string(),
    landed: z.boolean().describe('It has landed already'),
    retried: z.array(z.string()),
  }),
});

export type LandingOutlookJson = z.output<typeof outlook>;
