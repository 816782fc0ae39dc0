import { listConvoys, showConvoy } from '../../contract/routes/convoys.ts';
import { hasEnded } from '../../domain/convoy/convoy.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { convoyList } from '../../ledger/queries/convoy-list.ts';
import { ok } from '../../lib/result.ts';
import { reads } from '../context.ts';
import { cursorOf, readCursor } from '../cursor.ts';
import { findConvoy } from '../find.ts';
import { forecast } from '../forecast.ts';
import { convoyRows, convoyView, type Seen } from '../view/convoy-view.ts';
import { etaView } from '../view/eta-view.ts';

/** Where a convoy is, task by task. */
export const convoyShow = reads(showConvoy, async ({ params }, services) => {
  const { db } = services.ledger;
  const found = await findConvoy(db, params.id);
  if (!found.ok) return found;
  const convoy = found.value;
  const isLive = !hasEnded(convoy.status);
  const members = isLive ? await convoyMembers(db, convoy.id) : [];
  const ahead = members.length === 0 ? [] : await forecast(services, new Set(members));
  const settings = services.settings.read();
  const eta = async (seen: Seen): Promise<string | null> =>
    settings.ok ? etaView(db, settings.value, convoy, seen, services.now()) : null;
  return ok({ convoy: await convoyView(db, convoy, { ahead, eta }) });
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
