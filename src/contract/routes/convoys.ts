import * as z from 'zod';
import { route } from '../route.ts';
import { convoy, convoyEdit, convoyRow, newConvoy } from '../schemas/convoy.ts';
import { stageReport, stageRequest } from '../schemas/stage.ts';
import { cursor, flag, idText, limit, list, reason, schemaTag } from '../schemas/words.ts';

const one = z.object({ schema: schemaTag, convoy });
const byId = z.object({ id: idText });
const because = z.strictObject({ reason: reason.optional() });
const closePrs = z
  .boolean()
  .default(false)
  .describe('Close its open pull requests; else they stay as they are');

export const createConvoy = route({
  id: 'convoy.create',
  method: 'POST',
  path: '/convoys',
  summary: 'Track a batch of tasks; nothing starts until it is launched',
  roles: ['manager'],
  body: newConvoy,
  output: one,
});

export const listConvoys = route({
  id: 'convoy.list',
  method: 'GET',
  path: '/convoys',
  summary: 'Convoys, newest first; finished ones only when asked for',
  query: z.object({
    all: flag.optional(),
    status: list.optional(),
    label: list.optional(),
    limit,
    cursor,
  }),
  output: z.object({ schema: schemaTag, convoys: z.array(convoyRow), next: z.string().nullable() }),
});

export const showConvoy = route({
  id: 'convoy.show',
  method: 'GET',
  path: '/convoys/{id}',
  summary: 'Where a convoy is, task by task',
  params: byId,
  output: one,
});

export const editConvoy = route({
  id: 'convoy.edit',
  method: 'PATCH',
  path: '/convoys/{id}',
  summary: 'Change the options of a convoy',
  roles: ['manager'],
  params: byId,
  body: convoyEdit,
  output: one,
});

const membership = z.strictObject({ tasks: z.array(idText).min(1).max(100_000) });

export const addToConvoy = route({
  id: 'convoy.add',
  method: 'POST',
  path: '/convoys/{id}/tasks',
  summary: 'Add tasks; a finished convoy opens again',
  roles: ['manager'],
  params: byId,
  body: membership,
  output: z.object({ schema: schemaTag, convoy, added: z.array(z.string()) }),
});

export const removeFromConvoy = route({
  id: 'convoy.remove',
  method: 'POST',
  path: '/convoys/{id}/tasks/remove',
  summary: 'Descope tasks; they stay in the ledger',
  roles: ['manager'],
  params: byId,
  body: membership.extend({ dry_run: z.boolean().default(false) }),
  output: z.object({
    schema: schemaTag,
    convoy,
    removed: z.array(z.string()),
    untracked: z.array(z.string()),
    released: z.array(z.string()).describe('Tasks that become ready because of it'),
  }),
});

export const pauseConvoy = route({
  id: 'convoy.pause',
  method: 'POST',
  path: '/convoys/{id}/pause',
  summary: 'Start nothing new; what runs may finish',
  roles: ['manager'],
  params: byId,
  body: because,
  output: one,
});

export const resumeConvoy = route({
  id: 'convoy.resume',
  method: 'POST',
  path: '/convoys/{id}/resume',
  summary: 'Go on after a pause or a stall',
  roles: ['manager'],
  params: byId,
  body: because,
  output: one,
});

export const closeConvoy = route({
  id: 'convoy.close',
  method: 'POST',
  path: '/convoys/{id}/close',
  summary: 'Close a convoy whose work is done; force cancels what is not',
  roles: ['manager'],
  params: byId,
  body: because.extend({ force: z.boolean().default(false), close_prs: closePrs }),
  output: one,
});

export const cancelConvoy = route({
  id: 'convoy.cancel',
  method: 'POST',
  path: '/convoys/{id}/cancel',
  summary: 'Give a convoy up: stop its agents, withdraw its changes, keep its branches',
  params: byId,
  body: because.extend({ close_prs: closePrs }),
  output: one,
});

const watching = z.strictObject({ name: z.string().trim().min(1).max(200) });

export const watchConvoy = route({
  id: 'convoy.watch',
  method: 'POST',
  path: '/convoys/{id}/watch',
  summary: 'Subscribe to what happens to a convoy',
  roles: ['viewer', 'manager'],
  params: byId,
  body: watching,
  output: one.extend({ already: z.boolean() }),
});

export const unwatchConvoy = route({
  id: 'convoy.unwatch',
  method: 'POST',
  path: '/convoys/{id}/unwatch',
  summary: 'Stop being told about a convoy',
  roles: ['viewer', 'manager'],
  params: byId,
  body: watching,
  output: one.extend({ already: z.boolean() }),
});

export const stageConvoy = route({
  id: 'convoy.stage',
  method: 'POST',
  path: '/stage',
  summary: 'Check an epic, tasks or a convoy, and stage it whole or not at all',
  roles: ['manager'],
  body: stageRequest,
  output: stageReport,
});

export const launchConvoy = route({
  id: 'convoy.launch',
  method: 'POST',
  path: '/launch',
  summary: 'Let a convoy feed: a staged one, a tracking one, or an epic or tasks staged on the way',
  roles: ['manager'],
  body: stageRequest.omit({ launch: true }),
  output: z.object({
    schema: schemaTag,
    convoy_id: z.string(),
    status: z.string(),
    dispatched: z.array(z.string()),
    failed: z.array(z.object({ id: z.string(), error: z.string() })),
    report: stageReport.nullable(),
  }),
});

export const slingTasks = route({
  id: 'convoy.sling',
  method: 'POST',
  path: '/sling',
  summary: 'Start tasks or an epic at once, in one shared convoy',
  roles: ['manager'],
  body: z.strictObject({
    targets: z.array(idText).min(1).max(10_000),
    agent: z.string().trim().min(1).max(100).optional(),
    merge_mode: z.enum(['review-then-land', 'review-and-merge']).optional(),
    max_parallel: z.number().int().min(1).max(10_000).optional(),
    force: z.boolean().default(false),
  }),
  output: z.object({
    schema: schemaTag,
    convoy_id: z.string(),
    status: z.string(),
    warnings: z.array(z.string()),
  }),
});

const reasonOut = z.object({ code: z.string(), message: z.string(), ids: z.array(z.string()) });

export const why = route({
  id: 'why',
  method: 'GET',
  path: '/why/{id}',
  summary: 'Why something is where it is, in one answer',
  params: byId,
  output: z.object({
    schema: schemaTag,
    id: z.string(),
    kind: z.string(),
    state: z.string(),
    reasons: z.array(reasonOut),
  }),
});

export const stranded = route({
  id: 'convoy.stranded',
  method: 'GET',
  path: '/stranded',
  summary: 'Convoys and tasks that nothing will move by itself',
  output: z.object({
    schema: schemaTag,
    convoys: z.array(convoyRow.extend({ reasons: z.array(reasonOut) })),
    tasks: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        convoy: z.string().nullable(),
        state: z.string(),
        reasons: z.array(reasonOut),
      }),
    ),
  }),
});
