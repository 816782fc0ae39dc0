import type { Kysely } from 'kysely';
import type { ConvoyJson } from '../../contract/schemas/convoy.ts';
import type { Convoy } from '../../domain/convoy/convoy.ts';
import { branchesOf } from '../../domain/convoy/slug.ts';
import { type Branch, branchId } from '../../domain/remote/branch.ts';
import type { Trouble } from '../../domain/remote/trouble.ts';
import type { Task } from '../../domain/work/task.ts';
import { branchAggregate } from '../../ledger/aggregates/branch.ts';
import { repoAggregate } from '../../ledger/aggregates/repo.ts';
import { attemptsOf } from '../../ledger/queries/attempts.ts';
import { branchesOfConvoy } from '../../ledger/queries/branches.ts';
import type { Tables } from '../../ledger/tables.ts';

type Db = Kysely<Tables>;
type Reason = { code: string; message: string; ids: string[] };

/** How far a convoy's branches are on the remotes of its repos, repo by repo. */
export async function remotesOf(db: Db, { id }: Convoy): Promise<ConvoyJson['remotes']> {
  const byRepo = Map.groupBy(await branchesOfConvoy(db, id), ({ repo }) => repo as string);
  const shown: ConvoyJson['remotes'] = [];
  for (const [repo, branches] of byRepo) {
    const count = (wanted: Branch['status']): number =>
      branches.filter(({ status }) => status === wanted).length;
    const [waiting, leaving] = [count('waiting'), count('leaving')];
    const trouble = waiting + leaving === 0 ? null : await originTrouble(db, repo);
    shown.push({
      repo,
      pushed: count('pushed'),
      waiting,
      leaving,
      removed: count('removed'),
      trouble: trouble?.reason ?? null,
      branches: branches
        .flatMap(({ name, status, trouble: own }) =>
          own === null ? [] : [{ branch: name, state: status, reason: own.reason }],
        )
        .slice(0, MOST_SHOWN),
    });
  }
  return shown;
}

const MOST_SHOWN = 20;

export const originTrouble = async (db: Db, repo: string): Promise<Trouble | null> =>
  (await repoAggregate.load(db, repo))?.state.origin?.trouble ?? null;

/** Why the branch of a task's last attempt is not on the remote, if it should be and something is wrong. */
export async function taskPushReasons(db: Db, { id }: Task): Promise<Reason[]> {
  const last = (await attemptsOf(db, id)).findLast(({ change }) => change !== null);
  return last === undefined ? [] : pushReasons(db, id, last.repo, last.branch);
}

/** The same for the branches that a convoy's work collects on. */
export async function convoyPushReasons(db: Db, convoy: Convoy): Promise<Reason[]> {
  // A branch that is not settled is said so already, once.
  if ((convoy.branchPending ?? null) !== null) return [];
  const { head } = branchesOf(convoy);
  const heads = (await branchesOfConvoy(db, convoy.id)).filter(({ name }) => name === head);
  const reasons: Reason[] = [];
  for (const { repo, name } of heads)
    reasons.push(...(await pushReasons(db, convoy.id, repo, name)));
  return reasons;
}

async function pushReasons(db: Db, id: string, repo: string, name: string): Promise<Reason[]> {
  const branch = (await branchAggregate.load(db, branchId(repo, name)))?.state;
  if (branch === undefined || (branch.status !== 'waiting' && branch.status !== 'leaving'))
    return [];
  const trouble = branch.trouble ?? (await originTrouble(db, repo));
  if (trouble === null) return [];
  const what = branch.status === 'waiting' ? 'is not pushed' : 'is not deleted there';
  const remedy = trouble.held ? '' : ' It is tried again by itself.';
  const message = `${name} of ${repo} ${what}: ${trouble.reason}.${remedy}`;
  return [{ code: 'push_failed', message, ids: [id] }];
}

/** Repos whose remote has not answered for a while or needs a person, and how many branches wait for it. */
export async function originsInNeed(
  db: Db,
): Promise<{ id: string; kind: string; message: string }[]> {
  const names = (await db.selectFrom('repo_state').select('name').execute()).map(
    ({ name }) => name,
  );
  const needs = [];
  for (const repo of names) {
    const trouble = await originTrouble(db, repo);
    if (trouble === null || !(trouble.repeated || trouble.held)) continue;
    const row = await db
      .selectFrom('branch')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('repo', '=', repo)
      .where('status', 'in', ['waiting', 'leaving'])
      .executeTakeFirstOrThrow();
    const behind = row.count === 0 ? '' : `; ${row.count} branches wait`;
    needs.push({ id: repo, kind: 'origin', message: `${trouble.reason}${behind}` });
  }
  return needs;
}
