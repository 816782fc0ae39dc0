import type { Kysely } from 'kysely';
import type { Problem } from '../../contract/problem.ts';
import {
  createToken,
  listTokens,
  revokeToken,
  type TokenJson,
} from '../../contract/routes/tokens.ts';
import type { BindingRefusal } from '../../domain/identity/binding.ts';
import { type Token, tokenStatus } from '../../domain/identity/token.ts';
import type { Instant } from '../../domain/work/ids.ts';
import { tokenAggregate, tokenIn } from '../../ledger/aggregates/token.ts';
import { tokenList } from '../../ledger/queries/token-list.ts';
import type { Tables } from '../../ledger/tables.ts';
import { mintToken, revokeToken as revoke } from '../../ledger/tokens.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { reads, writes } from '../context.ts';
import { findTask } from '../find.ts';
import { conflict, notFound } from '../problems.ts';

/** Makes a token for a person or a machine; this answer is the only place its text is ever in. */
export const tokenCreate = writes(createToken, async ({ body }, tx) => {
  await tx.alone('token names');
  const { name, expires_in_ms: lasts } = body;
  if (name !== undefined && (await named(tx.db, name, tx.at)).length > 0)
    return conflict(
      'token_name_taken',
      `There is a token ${name} already.`,
      `Choose another name, or convoy token revoke ${name} first.`,
    );
  const task = await taskOf(tx.db, body.task, body.subject);
  if (!task.ok) return task;
  const made = await mintToken(tx, {
    role: body.role,
    subject: body.subject ?? null,
    task: task.value,
    expiresAt: lasts === undefined ? null : tx.at + lasts,
    ...(name === undefined ? {} : { name }),
  });
  if (!made.ok) return err(bindingProblem(made.error));
  const stored = await tx.load(tokenAggregate, made.value.id);
  if (stored === null) throw new Error('A token was made and is not there');
  return ok({ token: tokenView(stored.state, tx.at), secret: made.value.token });
});

/** A task that does not exist would make a token that is good for nothing. */
async function taskOf(
  db: Kysely<Tables>,
  task: string | undefined,
  subject: string | undefined,
): Promise<Result<string | null, Problem>> {
  const text = task ?? /^task:(.+)$/.exec(subject ?? '')?.[1];
  if (text === undefined) return ok(null);
  const found = await findTask(db, text);
  return found.ok ? ok(found.value.id) : found;
}

export const tokensList = reads(listTokens, async ({ query }, services) => {
  const now = services.now();
  const tokens = await tokenList(services.ledger.db, { all: query.all === true, now });
  return ok({ tokens: tokens.map((token) => tokenView(token, now)) });
});

export const tokenRevoke = writes(revokeToken, async ({ params }, tx) => {
  const byId = await tx.load(tokenAggregate, params.id);
  const [found, ...others] = byId === null ? await named(tx.db, params.id, tx.at) : [byId.state];
  if (found === undefined)
    return notFound(
      'token_not_found',
      `There is no token ${params.id}.`,
      'convoy token list shows the ids and names.',
    );
  if (others.length > 0)
    return conflict('ambiguous_id', `${params.id} names several tokens.`, 'Write the id.');
  return ok({ revoked: await revoke(tx, found.id, `revoked by ${tx.actor}`) });
});

async function named(db: Kysely<Tables>, name: string, now: Instant): Promise<Token[]> {
  const rows = await db
    .selectFrom('token')
    .select('state')
    .where('name', '=', name)
    .where('use', '=', 'bearer')
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map(tokenIn).filter((token) => tokenStatus(token, now) === 'active');
}

function tokenView(token: Token, now: Instant): TokenJson {
  return {
    id: token.id,
    name: token.name,
    role: token.role,
    use: token.use,
    subject: token.subject,
    task: token.task,
    status: tokenStatus(token, now),
    created_at: new Date(token.createdAt).toISOString(),
    created_by: token.createdBy,
    expires_at: token.expiresAt === null ? null : new Date(token.expiresAt).toISOString(),
  };
}

function bindingProblem(refusal: BindingRefusal): Problem {
  const { role } = refusal;
  switch (refusal.kind) {
    case 'needs-subject':
      return invalid(
        'subject_needed',
        `A ${role}'s token is bound to what it is for.`,
        `Say --for ${refusal.form}.`,
      );
    case 'takes-no-subject':
      return invalid('subject_not_allowed', `A ${role}'s token is not bound.`, 'Leave --for out.');
    case 'needs-task':
      return invalid(
        'task_needed',
        `A ${role}'s token is good for one task.`,
        'Say --task <id>, or --for task:<id>.',
      );
    case 'takes-no-task':
      return invalid('task_not_allowed', `A ${role}'s token has no task.`, 'Leave --task out.');
    default:
      return unreachable(refusal);
  }
}

const invalid = (code: string, message: string, remedy: string): Problem => ({
  kind: 'invalid',
  code,
  message,
  remedy,
});
