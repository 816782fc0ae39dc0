import { endSession, startLogin, whoAmI } from '../../contract/routes/tokens.ts';
import { mintToken, revokeToken } from '../../ledger/tokens.ts';
import type { Problem } from '../../contract/problem.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { reads, writes } from '../context.ts';
import { find } from '../find.ts';

const CODE_MS = 60_000;

/** Where the dashboard shows each kind of thing. */
const PAGES: Readonly<Record<string, string>> = {
  convoy: '/convoys/',
  task: '/tasks/',
  run: '/runs/',
};
const PLAN_ID = /^plan-[0-9a-z]+$/;

/** Makes a one-time address for whoever asks; the browser gets no more than its maker has. */
export const loginStart = writes(startLogin, async ({ body, identity }, tx, { dashboard }) => {
  if (dashboard === null)
    return err({
      kind: 'unavailable',
      code: 'no_dashboard',
      message: 'Nothing is served at the moment.',
      remedy: 'convoy up --detach starts it.',
    });
  const to = await pageOf(tx.db, body.id);
  if (!to.ok) return to;
  const expiresAt = tx.at + CODE_MS;
  const made = await mintToken(tx, {
    role: identity.role,
    name: identity.actor.slice(identity.actor.indexOf(':') + 1),
    parent: identity.token,
    expiresAt,
    use: 'login',
  });
  if (!made.ok)
    return err({
      kind: 'forbidden',
      code: 'role_not_allowed',
      message: `A ${identity.role}'s token cannot open the dashboard.`,
      remedy: 'It takes viewer, approver or operator.',
    });
  const query = new URLSearchParams({ code: made.value.token, to: to.value });
  return ok({
    url: `${dashboard}/login?${query.toString()}`,
    expires_at: new Date(expiresAt).toISOString(),
  });
});

async function pageOf(db: Tx['db'], id: string | undefined): Promise<Result<string, Problem>> {
  if (id === undefined) return ok('/');
  // Plans are files, so the ledger cannot know them.
  if (PLAN_ID.test(id)) return ok(`/plans/${id}`);
  const named = await find(db, id);
  if (!named.ok) return named;
  const page = PAGES[named.value.kind];
  return ok(page === undefined ? '/' : page + named.value.id);
}

export const sessionShow = reads(whoAmI, async ({ identity, csrf }) => {
  const { actor, role, subject, task, by } = identity;
  return ok({ actor, role, subject, task, by, csrf });
});

/** Only a session is ended here: a token that a machine holds is revoked by the operator. */
export const sessionEnd = writes(endSession, async ({ identity }, tx) => {
  if (identity.by !== 'session' || identity.token === null) return ok({ ended: false });
  await revokeToken(tx, identity.token, 'logged out');
  return ok({ ended: true });
});
