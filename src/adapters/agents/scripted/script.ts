import * as z from 'zod';
import { ROLES } from '../../../domain/work/prompt.ts';
import { err, ok, type Result } from '../../../lib/result.ts';

const text = z.string();
const count = z.int().min(0);
const inside = text
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), {
    error: 'must stay inside the worktree; use write-outside to leave it on purpose',
  });

/** All that is given must hold. `task`, `title` and `env` values are globs with * and ?. */
const when = z.strictObject({
  task: text.optional(),
  title: text.optional(),
  role: z.enum(ROLES).optional(),
  attempt: z
    .union([
      z.int().min(1),
      z.strictObject({ from: z.int().min(1), to: z.int().min(1).optional() }),
    ])
    .optional(),
  env: z.record(text, text).optional(),
});
export type When = z.infer<typeof when>;

const step = <Name extends string, Shape extends z.core.$ZodLooseShape>(name: Name, shape: Shape) =>
  z.strictObject({ do: z.literal(name), when: when.optional(), ...shape });

const finding = z.strictObject({ file: text, line: count, severity: text, text });

/** What a scripted agent can do. Texts and paths know {task_id}, {title}, {attempt} and {role}. */
const anyStep = z.discriminatedUnion('do', [
  step('write', { path: inside, content: text }),
  step('append', { path: inside, content: text }),
  step('edit', { path: inside, find: text.min(1), replace: text }),
  step('delete', { path: inside }),
  step('write-outside', { path: text.min(1), content: text }),
  step('commit', { message: text.min(1) }),
  step('print', { text, stream: z.enum(['out', 'err']).default('out') }),
  step('say', { text }),
  step('usage', { input: count, output: count, costUsd: z.number().min(0).optional() }),
  step('sleep', { ms: count }),
  step('wait-for', { path: text.min(1), timeoutMs: count.default(60_000) }),
  step('flood', { bytes: count }),
  step('fork', {
    count: z.int().min(1).max(100).default(1),
    ms: count.default(60_000),
    escape: z.boolean().default(false),
    ignoreTerm: z.boolean().default(false),
  }),
  step('hang', { ignoreTerm: z.boolean().default(false) }),
  step('crash', {
    code: z.int().min(1).max(255).default(1),
    signal: z.literal('SIGKILL').optional(),
  }),
  step('lie', { text: text.default('Done.') }),
  step('done', { noCode: z.boolean().default(false), reason: text.optional() }),
  step('verdict', {
    verdict: z.enum(['approve', 'reject']),
    findings: z.array(finding).default([]),
  }),
]);
export type Step = z.infer<typeof anyStep>;

const script = z.strictObject({
  /** The first whose `when` holds is played. */
  scripts: z.array(z.strictObject({ when: when.optional(), steps: z.array(anyStep) })).min(1),
});
export type Script = z.infer<typeof script>;

export type ScriptProblem = { readonly path: string; readonly message: string };

/** Reads a script file, or says exactly what is wrong with it and where. */
export function parseScript(source: string): Result<Script, ScriptProblem[]> {
  let json: unknown;
  try {
    json = JSON.parse(source);
  } catch (error) {
    return err([{ path: '', message: error instanceof Error ? error.message : 'not JSON' }]);
  }
  const { success, data, error } = script.safeParse(json);
  if (success) return ok(data);
  return err(error.issues.map((issue) => ({ path: dotted(issue.path), message: issue.message })));
}

const dotted = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
