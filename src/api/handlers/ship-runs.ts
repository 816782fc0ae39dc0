import { listRuns, showRun } from '../../contract/routes/ship.ts';
import { runList } from '../../ledger/queries/runs.ts';
import { ok } from '../../lib/result.ts';
import { reads } from '../context.ts';
import { cursorOf, readCursor } from '../cursor.ts';
import { findRun } from '../find-run.ts';
import { noticeLost } from '../lost-runs.ts';
import { runView } from '../view/run-view.ts';

/** Runs, newest first; one whose process died is seen as interrupted from now on. */
export const runsList = reads(listRuns, async ({ query }, services) => {
  const { ledger, dashboard } = services;
  const before = readCursor(query.cursor);
  if (!before.ok) return before;
  await noticeLost(services);
  const { status, plan, limit } = query;
  const found = await runList(ledger.db, { status, plan, before: before.value, limit: limit + 1 });
  const page = found.slice(0, limit);
  return ok({
    runs: await Promise.all(page.map((run) => runView(ledger.db, run, dashboard))),
    next: found.length > limit ? cursorOf(page.at(-1)) : null,
  });
});

export const runShow = reads(showRun, async ({ params }, services) => {
  const { ledger, dashboard } = services;
  await noticeLost(services);
  const found = await findRun(ledger.db, params.id);
  return found.ok ? ok({ run: await runView(ledger.db, found.value, dashboard) }) : found;
});
