import {
  getConfig,
  health,
  ledgerInfo,
  listEvents,
  overview,
  resolveId,
  setConfig,
  verifyLedger,
} from '../../contract/routes/system.ts';
import { type Approval, isQuestion } from '../../domain/approval/approval.ts';
import { escalatedAttempts } from '../../ledger/queries/attempts.ts';
import { approvalList } from '../../ledger/queries/approval-list.ts';
import { convoyList } from '../../ledger/queries/convoy-list.ts';
import { eventsAfter } from '../../ledger/queries/events-after.ts';
import { taskList } from '../../ledger/queries/task-list.ts';
import { LATEST_MIGRATION } from '../../ledger/migrate.ts';
import { lastSealed } from '../../ledger/transaction.ts';
import { verifyLedger as replayLedger } from '../../ledger/verify.ts';
import { ok } from '../../lib/result.ts';
import type { SettingsEdit } from '../../ports/settings.ts';
import { reads } from '../context.ts';
import { find } from '../find.ts';
import { settingsProblem } from '../problems.ts';
import { approvalView } from '../view/approval-view.ts';
import { convoyRows } from '../view/convoy-view.ts';
import { originsInNeed } from '../view/remote-view.ts';
import { runsNow } from '../view/run-overview.ts';

export const healthNow = reads(health, async (_, { ledger, version, instance, engine }) => {
  const { seq } = await lastSealed(ledger.db);
  return ok({ ok: true, version, instance, engine, seq });
});

/** What needs me first, then what is active. */
export const overviewNow = reads(overview, async (_, { ledger, dashboard }) => {
  const { db } = ledger;
  const live = await convoyList(db, { live: true, limit: 50 });
  const waiting = await approvalList(db, { status: ['pending'], limit: 50 });
  const shipping = await runsNow(db, dashboard);
  const called = await escalatedAttempts(db);
  const failed = await taskList(db, { status: ['failed'], limit: 50 });
  const running = await taskList(db, { status: ['in_progress'], limit: 200 });
  const rows = await db
    .selectFrom('task')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
  return ok({
    needs_me: [
      ...waiting.map(waitsForPerson),
      ...shipping.needs,
      ...called.map(({ task, escalations }) => ({
        id: task as string,
        kind: 'escalated',
        message: `its agent asks: ${escalations.at(-1)?.text ?? ''}`,
      })),
      ...live
        .filter(({ status }) => status === 'stalled')
        .map(({ id, title, reason }) => ({
          id,
          kind: 'stalled',
          message: `${title} is stalled: ${reason ?? 'nothing can move'}`,
        })),
      ...(await originsInNeed(db)),
      ...live
        .filter(({ status }) => status === 'staged_warnings')
        .map(({ id, title }) => ({
          id,
          kind: 'warnings',
          message: `${title} was staged with warnings`,
        })),
      ...failed.map((task) => ({
        id: task.id,
        kind: 'failed',
        message: `${task.title} failed: retry it, skip it or remove it from its convoy`,
      })),
    ],
    convoys: await convoyRows(db, live),
    running: running.flatMap((task) =>
      task.status === 'in_progress' && task.attempt !== null
        ? { task: task.id, title: task.title, worker: task.attempt }
        : [],
    ),
    runs: shipping.runs,
    approvals: waiting.map(approvalView),
    tasks: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
    dashboard,
  });
});

const waitsForPerson = (approval: Approval): { id: string; kind: string; message: string } => ({
  id: approval.id,
  kind: 'approval',
  message: isQuestion(approval)
    ? `${approval.summary}: convoy answer ${approval.id} "…"`
    : `${approval.summary} (${approval.kind}) waits for a yes`,
});

export const eventsList = reads(listEvents, async ({ query }, { ledger }) => {
  await ledger.seal();
  const events = await eventsAfter(ledger.db, query.after, {
    limit: query.limit,
    subject: query.subject,
    kinds: query.kind,
  });
  const { seq } = await lastSealed(ledger.db);
  return ok({
    events: events.map(({ at, ...event }) => ({ ...event, at: new Date(at).toISOString() })),
    last: events.at(-1)?.seq ?? seq,
  });
});

export const ledgerNow = reads(ledgerInfo, async (_, { ledger }) => {
  await ledger.seal();
  const { db } = ledger;
  const count = async (table: 'event' | 'task' | 'convoy'): Promise<number> => {
    const row = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return row.count;
  };
  const { seq, hash } = await lastSealed(db);
  return ok({
    engine: ledger.engine,
    location: ledger.location,
    migration: LATEST_MIGRATION,
    events: await count('event'),
    seq,
    hash,
    tasks: await count('task'),
    convoys: await count('convoy'),
  });
});

export const ledgerVerify = reads(verifyLedger, async (_, { ledger }) => {
  await ledger.seal();
  const { events, subjects, problems } = await replayLedger(ledger.db);
  return ok({ ok: problems.length === 0, events, subjects, problems: [...problems] });
});

export const configGet = reads(getConfig, async (_, { settings }) => {
  const values = settings.explain();
  return values.ok
    ? ok({ path: settings.path, values: values.value.map((value) => ({ ...value })) })
    : { ok: false, error: settingsProblem(values.error) };
});

export const configSet = reads(setConfig, async ({ body }, { settings }) => {
  const edits: SettingsEdit[] = [
    ...Object.entries(body.set).map(([key, value]): SettingsEdit => ({
      op: 'set',
      path: key.split('.'),
      value,
    })),
    ...body.remove.map((key): SettingsEdit => ({ op: 'remove', path: key.split('.') })),
  ];
  const changed = settings.apply(edits);
  return changed.ok
    ? ok({ path: settings.path, changed: [...Object.keys(body.set), ...body.remove] })
    : { ok: false, error: settingsProblem(changed.error) };
});

export const idResolve = reads(resolveId, async ({ params }, { ledger }) => {
  const named = await find(ledger.db, params.id);
  return named.ok ? ok(named.value) : named;
});
