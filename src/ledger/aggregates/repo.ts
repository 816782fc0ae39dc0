import type { Kysely } from 'kysely';
import { evolveRepo, type RepoEvent, type RepoState } from '../../domain/repo/repo-state.ts';
import type { Aggregate, Change, Stored } from '../aggregate.ts';
import type { Tables } from '../tables.ts';

/** What the ledger knows of a repository besides its configuration. */
export const repoAggregate: Aggregate<RepoState, RepoEvent> = {
  name: 'repo',
  evolve: evolveRepo,
  load,
  save,
  async stored(db) {
    const rows = await db.selectFrom('repo_state').selectAll().execute();
    return rows.map(({ name, ...row }) => ({ id: name, ...row }));
  },
  row: (state, version) => ({ id: state.name, ...rowOf(state, version) }),
  satellites: [],
};

async function load(db: Kysely<Tables>, name: string): Promise<Stored<RepoState> | null> {
  const row = await db
    .selectFrom('repo_state')
    .select(['state', 'version'])
    .where('name', '=', name)
    .executeTakeFirst();
  if (row === undefined) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only save() writes this column
  return { state: JSON.parse(row.state) as RepoState, version: row.version };
}

async function save(db: Kysely<Tables>, change: Change<RepoState, RepoEvent>): Promise<void> {
  const { after, version } = change;
  const row = rowOf(after, version);
  await db
    .insertInto('repo_state')
    .values({ name: after.name, ...row })
    .onConflict((clash) => clash.column('name').doUpdateSet(row))
    .execute();
}

const rowOf = (state: RepoState, version: number): Omit<Tables['repo_state'], 'name'> => ({
  version,
  parked: state.parked,
  state: JSON.stringify(state),
});
