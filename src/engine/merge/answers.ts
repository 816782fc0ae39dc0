import type { Verdict } from '../../domain/merge/queue-view.ts';
import { changeId } from '../../domain/work/ids.ts';
import type { Ledger } from '../../ledger/open.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { ok } from '../../lib/result.ts';
import type { RepoSettings } from '../../ports/settings.ts';
import { ENGINE } from '../world.ts';
import type { Answer } from './verify.ts';

/** Answers count only for the very gates that gave them. */
export const gatesFingerprint = ({ gates, setup }: RepoSettings): string =>
  JSON.stringify([
    setup,
    gates.map(({ name, run, env, requireTests }) => [name, run, env, requireTests]),
  ]);

const MOST = 2000;

/** What gates have answered about trees of a repo, oldest first. */
export async function knownAnswers(
  db: Ledger['db'],
  repo: string,
  gates: string,
): Promise<Verdict[]> {
  const rows = await db
    .selectFrom('gate_answer')
    .select(['base', 'tree', 'members', 'colour'])
    .where('repo', '=', repo)
    .where('gates', '=', gates)
    .orderBy('at', 'desc')
    .limit(MOST)
    .execute();
  return rows.toReversed().map(({ base, tree, members, colour }) => ({
    base,
    tree,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rememberAnswer wrote a list of ids
    members: (JSON.parse(members) as string[]).map(changeId),
    colour: colour === 'green' ? 'green' : 'red',
  }));
}

/** Keeps an answer by the tree it is about: the same tree is never tested twice. */
export async function rememberAnswer(
  ledger: Ledger,
  repo: string,
  settings: RepoSettings,
  about: Pick<Verdict, 'base' | 'tree' | 'members'>,
  said: Extract<Answer, { colour: 'green' | 'red' }>,
): Promise<void> {
  await ledger.write(ENGINE, async (tx) => {
    await recordAnswer(tx, repo, settings, about, said);
    return ok(null);
  });
}

/** The same, together with what else follows from it. */
export async function recordAnswer(
  tx: Tx,
  repo: string,
  settings: RepoSettings,
  about: Pick<Verdict, 'base' | 'tree' | 'members'>,
  said: Extract<Answer, { colour: 'green' | 'red' }>,
): Promise<void> {
  const row = {
    colour: said.colour,
    base: about.base,
    members: JSON.stringify(about.members),
    gate: said.colour === 'red' ? said.gate : null,
    log: said.colour === 'red' ? said.log : null,
  };
  await tx.db
    .insertInto('gate_answer')
    .values({ repo, tree: about.tree, gates: gatesFingerprint(settings), at: tx.at, ...row })
    .onConflict((clash) =>
      clash.columns(['repo', 'tree', 'gates']).doUpdateSet({ ...row, at: tx.at }),
    )
    .execute();
}

/** What these very gates have said about a tree, whoever was in it. */
export async function answerAbout(
  db: Ledger['db'],
  repo: string,
  settings: RepoSettings,
  tree: string,
): Promise<Extract<Answer, { colour: 'green' | 'red' }> | null> {
  const row = await db
    .selectFrom('gate_answer')
    .select(['colour', 'gate', 'log'])
    .where('repo', '=', repo)
    .where('tree', '=', tree)
    .where('gates', '=', gatesFingerprint(settings))
    .executeTakeFirst();
  if (row === undefined) return null;
  return row.colour === 'green'
    ? { colour: 'green' }
    : { colour: 'red', gate: row.gate ?? 'gate', log: row.log ?? '' };
}

/** Why a tree is red: the gate and the end of its log. */
export async function redBecause(
  db: Ledger['db'],
  repo: string,
  tree: string,
): Promise<{ gate: string; log: string }> {
  const row = await db
    .selectFrom('gate_answer')
    .select(['gate', 'log'])
    .where('repo', '=', repo)
    .where('tree', '=', tree)
    .where('colour', '=', 'red')
    .executeTakeFirst();
  return { gate: row?.gate ?? 'gate', log: row?.log ?? '' };
}
