import type { AttemptId, TaskId } from '../domain/work/ids.ts';
import { mintToken, revokeTokensOf } from '../ledger/tokens.ts';
import type { Tx } from '../ledger/transaction.ts';

const subjectOf = (attempt: AttemptId): string => `attempt:${attempt}`;

/** A token that speaks for one attempt about its own task. */
export async function mintAttemptToken(
  tx: Tx,
  attempt: AttemptId,
  task: TaskId,
  role: 'worker' | 'reviewer' = 'worker',
): Promise<string> {
  const subject = subjectOf(attempt);
  const made = await mintToken(tx, { role, subject, task, name: attempt });
  if (!made.ok) throw new Error(`No token for ${attempt}: ${made.error.kind}`);
  return made.value.token;
}

export async function revokeAttemptTokens(tx: Tx, attempt: AttemptId): Promise<void> {
  await revokeTokensOf(tx, subjectOf(attempt));
}
