import type { Problem } from '../../contract/problem.ts';
import { readLogs } from '../../contract/routes/system.ts';
import { type Attempt, isLive } from '../../domain/work/attempt.ts';
import { attemptAggregate } from '../../ledger/aggregates/attempt.ts';
import { attemptsOf } from '../../ledger/queries/attempts.ts';
import { ok, type Result } from '../../lib/result.ts';
import { executionId } from '../../ports/executor.ts';
import { reads, type Services } from '../context.ts';
import { findTask } from '../find.ts';
import { notFound } from '../problems.ts';

/** What an attempt printed. Output is never an event: it is read from its file. */
export const logsRead = reads(readLogs, async ({ params, query }, services) => {
  const attempt = await attemptNamed(services, params.id);
  if (!attempt.ok) return attempt;
  const { id, status } = attempt.value;
  const chunk = await (await services.executor()).tail(executionId(id), query.after, query.limit);
  const text = new TextDecoder().decode(chunk.bytes);
  const ended = !isLive(status) && chunk.bytes.length === 0;
  return ok({ id, status, text, next: chunk.next, skipped: chunk.skipped, ended });
});

async function attemptNamed(
  { ledger: { db } }: Services,
  text: string,
): Promise<Result<Attempt, Problem>> {
  const attempt = await attemptAggregate.load(db, text);
  if (attempt !== null) return ok(attempt.state);
  const task = await findTask(db, text);
  if (!task.ok) return task;
  const newest = (await attemptsOf(db, task.value.id)).at(-1);
  return newest === undefined
    ? notFound(
        'no_attempt',
        `Nobody has tried ${task.value.id} yet.`,
        `convoy why ${task.value.id}`,
      )
    : ok(newest);
}
