import * as z from 'zod';
import { TOKEN_ROLES } from '../../domain/identity/identity.ts';
import { route } from '../route.ts';
import { flag, idText, schemaTag } from '../schemas/words.ts';

const role = z.enum(TOKEN_ROLES);

export const token = z.object({
  id: z.string(),
  name: z.string(),
  role,
  use: z.enum(['bearer', 'session', 'login']),
  subject: z.string().nullable(),
  task: z.string().nullable(),
  status: z.enum(['active', 'expired', 'revoked']),
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string().nullable(),
});
export type TokenJson = z.output<typeof token>;

const DAY_MS = 86_400_000;
const LONGEST_MS = 3650 * DAY_MS;

export const createToken = route({
  id: 'token.create',
  method: 'POST',
  path: '/tokens',
  summary: 'Make a token; its text is shown once and kept nowhere',
  body: z.strictObject({
    role,
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a name is letters, digits, . _ -')
      .optional(),
    subject: z
      .string()
      .trim()
      .max(200)
      .optional()
      .describe('attempt:<id>, crew:<id> or host:<name> for the bound roles'),
    task: idText.optional(),
    expires_in_ms: z.number().int().min(1000).max(LONGEST_MS).optional(),
  }),
  confidential: true,
  output: z.object({ schema: schemaTag, token, secret: z.string().describe('Shown this once') }),
});

export const listTokens = route({
  id: 'token.list',
  method: 'GET',
  path: '/tokens',
  summary: 'Tokens and sessions that are in force; ended ones with all=true',
  roles: [],
  query: z.object({ all: flag.optional() }),
  output: z.object({ schema: schemaTag, tokens: z.array(token) }),
});

export const revokeToken = route({
  id: 'token.revoke',
  method: 'POST',
  path: '/tokens/{id}/revoke',
  summary: 'End a token or a session, by id or name, and every session that came from it',
  params: z.object({ id: idText }),
  output: z.object({ schema: schemaTag, revoked: z.array(z.string()) }),
});

export const startLogin = route({
  id: 'session.start',
  method: 'POST',
  path: '/session/login',
  summary: 'An address that logs a browser in, once, within a minute',
  roles: ['viewer', 'approver'],
  body: z.strictObject({ id: idText.optional().describe('Where to go: what this id names') }),
  confidential: true,
  output: z.object({ schema: schemaTag, url: z.string(), expires_at: z.string() }),
});

export const whoAmI = route({
  id: 'session.show',
  method: 'GET',
  path: '/session',
  summary: 'Who is asking, and what a page must send to change something',
  roles: TOKEN_ROLES,
  output: z.object({
    schema: schemaTag,
    actor: z.string(),
    role,
    subject: z.string().nullable(),
    task: z.string().nullable(),
    by: z.enum(['bearer', 'session', 'process']),
    csrf: z.string().nullable().describe('Value of x-convoy-csrf, for a cookie session'),
  }),
});

export const endSession = route({
  id: 'session.end',
  method: 'DELETE',
  path: '/session',
  summary: 'Log this browser out',
  roles: TOKEN_ROLES,
  output: z.object({ schema: schemaTag, ended: z.boolean() }),
});
