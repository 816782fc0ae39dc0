import type { Kysely } from 'kysely';
import type { Convoy } from '../../domain/convoy/convoy.ts';
import type { Branch } from '../../domain/remote/branch.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
const UNSENT = ['waiting', 'leaving'];

/** Repos with branches whose copy on the remote is not what it should be. */
export async function reposWithUnsent(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('branch')
    .select('repo')
    .distinct()
    .where('status', 'in', UNSENT)
    .execute();
  return rows.map(({ repo }) => repo);
}

/** Some of them, integration branches first: others build on those. */
export async function unsentBranches(db: Db, repo: string): Promise<Branch[]> {
  const unsent = db
    .selectFrom('branch')
    .select(['id', 'state'])
    .where('repo', '=', repo)
    .where('status', 'in', UNSENT)
    .orderBy('id')
    .limit(MOST);
  const heads = await unsent.where('id', 'like', HEADS).execute();
  const rest = await unsent.where('id', 'not like', HEADS).execute();
  return [...heads, ...rest].map(parsed);
}

const HEADS = '%/head';
const MOST = 500;

/** Convoys under way whose branch is not on the remotes yet. */
export async function pendingConvoys(db: Db): Promise<Convoy[]> {
  const rows = await db
    .selectFrom('convoy')
    .select('state')
    .where('status', 'in', ['open', 'stalled', 'landing'])
    .where('state', 'like', '%"branchPending":{%')
    .orderBy('id')
    .execute();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the convoy aggregate writes this column
  return rows.map(({ state }) => JSON.parse(state) as Convoy).filter(isPending);
}

const isPending = ({ branchPending }: Convoy): boolean => (branchPending ?? null) !== null;

/** Repos whose remote gives no answer. */
export async function troubledRepos(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('repo_state')
    .select(['name', 'state'])
    .where('state', 'like', '%"trouble":{%')
    .execute();
  return rows.map(({ name }) => name);
}

/** Convoys with branches that are, or are to be, on a remote. */
export async function convoysOnRemotes(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('branch')
    .select('convoy')
    .distinct()
    .where('status', 'in', ['waiting', 'pushed'])
    .execute();
  return rows.map(({ convoy }) => convoy);
}

/** Every branch of a convoy that is or was on a remote. */
export async function branchesOfConvoy(db: Db, convoy: string): Promise<Branch[]> {
  const rows = await db
    .selectFrom('branch')
    .select('state')
    .where('convoy', '=', convoy)
    .orderBy('id')
    .execute();
  return rows.map(parsed);
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the branch aggregate writes this column
const parsed = ({ state }: { state: string }): Branch => JSON.parse(state) as Branch;
