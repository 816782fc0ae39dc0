import { listConvoys, showConvoy } from '../../contract/routes/convoys.ts';
import { convoyList } from '../../ledger/queries/convoy-list.ts';
import { ok } from '../../lib/result.ts';
import { reads } from '../context.ts';
import { cursorOf, readCursor } from '../cursor.ts';
import { findConvoy } from '../find.ts';
import { convoyRows, convoyView } from '../view/convoy-view.ts';

/** Where a convoy is, task by task. */
export const convoyShow = reads(showConvoy, async ({ params }, { ledger }) => {
  const found = await findConvoy(ledger.db, params.id);
  return found.ok ? ok({ convoy: await convoyView(ledger.db, found.value) }) : found;
});

/** Convoys, newest first; finished ones only when asked for. */
export const convoysList = reads(listConvoys, async ({ query }, { ledger }) => {
  const before = readCursor(query.cursor);
  if (!before.ok) return before;
  const found = await convoyList(ledger.db, {
    status: query.status,
    live: query.all !== true && query.status === undefined,
    before: before.value,
    limit: query.limit + 1,
  });
  const page = found.slice(0, query.limit);
  const wanted = page.filter(({ options }) =>
    (query.label ?? []).every((label) => options.labels.includes(label)),
  );
  return ok({
    convoys: await convoyRows(ledger.db, wanted),
    next: found.length > query.limit ? cursorOf(page.at(-1)) : null,
  });
});
