import * as z from 'zod';
import { route } from '../route.ts';
import { convoyRow } from '../schemas/convoy.ts';
import { idText, list, schemaTag } from '../schemas/words.ts';

export const health = route({
  id: 'health',
  method: 'GET',
  path: '/health',
  summary: 'Is this the right instance, and is it well',
  roles: ['anyone'],
  output: z.object({
    schema: schemaTag,
    ok: z.boolean(),
    version: z.string(),
    instance: z.string(),
    engine: z.boolean(),
    seq: z.number(),
  }),
});

export const overview = route({
  id: 'overview',
  method: 'GET',
  path: '/overview',
  summary: 'What needs me, what is active, what is waiting',
  output: z.object({
    schema: schemaTag,
    needs_me: z.array(z.object({ id: z.string(), kind: z.string(), message: z.string() })),
    convoys: z.array(convoyRow),
    running: z.array(
      z.object({ task: z.string(), title: z.string(), worker: z.string().nullable() }),
    ),
    runs: z.array(z.unknown()),
    approvals: z.array(z.unknown()),
    tasks: z.record(z.string(), z.number()),
    dashboard: z.string().nullable(),
  }),
});

export const event = z.object({
  seq: z.number(),
  at: z.string(),
  kind: z.string(),
  subject: z.string(),
  actor: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type EventJson = z.output<typeof event>;

export const listEvents = route({
  id: 'events.list',
  method: 'GET',
  path: '/events',
  summary: 'What happened, in order; as a stream when text/event-stream is accepted',
  query: z.object({
    after: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(10_000).default(1000),
    subject: z.string().optional(),
    kind: list.optional(),
  }),
  output: z.object({ schema: schemaTag, events: z.array(event), last: z.number() }),
});

export const ledgerInfo = route({
  id: 'ledger.info',
  method: 'GET',
  path: '/ledger',
  summary: 'Where the ledger is and how much it holds',
  output: z.object({
    schema: schemaTag,
    engine: z.enum(['sqlite', 'postgres']),
    location: z.string(),
    migration: z.string(),
    events: z.number(),
    seq: z.number(),
    hash: z.string(),
    tasks: z.number(),
    convoys: z.number(),
  }),
});

export const verifyLedger = route({
  id: 'ledger.verify',
  method: 'POST',
  path: '/ledger/verify',
  summary: 'Replay every event, check the hash chain, compare with the stored state',
  roles: ['viewer'],
  output: z.object({
    schema: schemaTag,
    ok: z.boolean(),
    events: z.number(),
    subjects: z.number(),
    problems: z.array(
      z.object({
        kind: z.string(),
        seq: z.number().nullable(),
        subject: z.string(),
        message: z.string(),
      }),
    ),
  }),
});

export const getConfig = route({
  id: 'config.get',
  method: 'GET',
  path: '/config',
  summary: 'The configuration in force and where each value comes from',
  output: z.object({
    schema: schemaTag,
    path: z.string(),
    values: z.array(
      z.object({ key: z.string(), value: z.unknown(), source: z.string(), where: z.string() }),
    ),
  }),
});

export const setConfig = route({
  id: 'config.set',
  method: 'PATCH',
  path: '/config',
  summary: 'Set or remove keys of config.toml, keeping its comments',
  body: z.strictObject({
    set: z.record(z.string(), z.unknown()).default({}),
    remove: z.array(z.string()).default([]),
  }),
  output: z.object({ schema: schemaTag, path: z.string(), changed: z.array(z.string()) }),
});

export const doctor = route({
  id: 'doctor',
  method: 'GET',
  path: '/doctor',
  summary: 'Check tools, configuration, ledger, disk and leftovers; each problem with its fix',
  output: z.object({
    schema: schemaTag,
    ok: z.boolean(),
    checks: z.array(
      z.object({
        name: z.string(),
        status: z.enum(['ok', 'warning', 'problem']),
        message: z.string(),
        fix: z.string().nullable(),
      }),
    ),
  }),
});

export const readLogs = route({
  id: 'logs.read',
  method: 'GET',
  path: '/logs/{id}',
  summary: 'What an attempt or the gates of a change printed, from a position onwards',
  params: z.object({ id: idText }),
  query: z.object({
    after: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(1_000_000).default(200_000),
  }),
  output: z.object({
    schema: schemaTag,
    id: z.string(),
    status: z.string(),
    text: z.string(),
    next: z.number(),
    skipped: z.number(),
    ended: z.boolean(),
  }),
});

export const resolveId = route({
  id: 'id.resolve',
  method: 'GET',
  path: '/ids/{id}',
  summary: 'What an id or a prefix names',
  params: z.object({ id: idText }),
  output: z.object({ schema: schemaTag, id: z.string(), kind: z.string() }),
});
