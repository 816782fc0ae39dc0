import type { Problem } from '../../contract/problem.ts';
import { readLogs } from '../../contract/routes/system.ts';
import { type Attempt, isLive } from '../../domain/work/attempt.ts';
import type { Change } from '../../domain/merge/change.ts';
import { attemptAggregate } from '../../ledger/aggregates/attempt.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { attemptsOf } from '../../ledger/queries/attempts.ts';
import { verificationsOf } from '../../ledger/queries/verifications.ts';
import { ok, type Result } from '../../lib/result.ts';
import { executionId } from '../../ports/executor.ts';
import { type Answer, reads, type Services } from '../context.ts';
import { findTask } from '../find.ts';
import { readRuns, runsOf } from '../gate-logs.ts';
import { notFound } from '../problems.ts';
import { settingsOf } from '../repos.ts';
import { findChange } from './queue-find.ts';

/** What an attempt or the gates of a change printed. Output is never an event: it is read from files. */
export const logsRead = reads(readLogs, async ({ params, query }, services) => {
  // A repo may have one of these as the prefix of its tasks.
  const isTask = (await taskAggregate.load(services.ledger.db, params.id)) !== null;
  if (!isTask && /^(?:ch|vf)-/.test(params.id)) return gateLogs(params.id, query, services);
  const attempt = await attemptNamed(services, params.id);
  if (!attempt.ok) return attempt;
  const { id, status } = attempt.value;
  const chunk = await (await services.executor()).tail(executionId(id), query.after, query.limit);
  const text = new TextDecoder().decode(chunk.bytes);
  const ended = !isLive(status) && chunk.bytes.length === 0;
  return ok({ id, status, text, next: chunk.next, skipped: chunk.skipped, ended });
});

/** The gates of a change's newest verification, or of one that is named itself. */
async function gateLogs(
  id: string,
  query: { readonly after: number; readonly limit: number },
  services: Services,
): Promise<Answer<typeof readLogs>> {
  const { db } = services.ledger;
  const change = id.startsWith('vf-') ? await changeVerifiedBy(db, id) : await findChange(db, id);
  if (!change.ok) return change;
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const runs = await verificationsOf(db, change.value.id);
  const verification = id.startsWith('vf-') ? runs.find((run) => run.id === id) : runs.at(-1);
  if (verification === undefined)
    return notFound(
      'no_gate_run',
      `No gate has run for ${change.value.id} yet.`,
      `convoy queue show ${change.value.id}`,
    );
  const gates = settings.value.repos[change.value.repo]?.gates ?? [];
  const { bytes, next, skipped } = await readRuns(
    await services.executor(),
    runsOf(verification.id, gates),
    query,
  );
  const isOver = verification.endedAt !== null && bytes.length === 0;
  return ok({
    id: verification.id,
    status: verification.outcome ?? 'running',
    text: new TextDecoder().decode(bytes),
    next,
    skipped,
    ended: isOver,
  });
}

async function changeVerifiedBy(
  db: Services['ledger']['db'],
  verification: string,
): Promise<Result<Change, Problem>> {
  const row = await db
    .selectFrom('event')
    .select('subject')
    .where('kind', '=', 'change-verification-started')
    .where('data', 'like', `%"${verification}"%`)
    .executeTakeFirst();
  return row === undefined
    ? notFound('no_gate_run', `There is no gate run ${verification}.`, 'convoy queue list')
    : findChange(db, row.subject.slice('change/'.length));
}

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
