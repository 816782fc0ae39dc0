import { type Kysely, sql } from 'kysely';
import type { ConvoyOptions } from '../../domain/convoy/convoy.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { chunks } from '../../ledger/chunks.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import type { Tables } from '../../ledger/tables.ts';
import type { Services } from '../context.ts';
import { find } from '../find.ts';
import { branchFacts, type BranchFacts, type GitFacts, gitKey, NOT_ASKED } from './repos.ts';

/**
 * Asks git about every repo a batch will touch, while nobody waits for the ledger. What changes
 * between here and the transaction is asked again there.
 */
export async function gitBefore(
  body: {
    readonly targets: readonly string[];
    readonly base_branches?: Readonly<Record<string, string>> | undefined;
  },
  services: Services,
): Promise<GitFacts> {
  const settings = services.settings.read();
  if (!settings.ok) return NOT_ASKED;
  const { db } = services.ledger;
  const { tasks, options } = await namedBy(db, body.targets);
  const bases = body.base_branches ?? options?.baseBranches ?? {};
  const facts = new Map<string, BranchFacts>();
  for (const name of await reposBelow(db, tasks)) {
    const repo = settings.value.repos[name];
    const base = bases[name] ?? null;
    if (repo !== undefined) facts.set(gitKey(name, base), await branchFacts(repo, base, services));
  }
  return facts;
}

async function namedBy(
  db: Kysely<Tables>,
  targets: readonly string[],
): Promise<{ tasks: string[]; options: ConvoyOptions | null }> {
  const tasks: string[] = [];
  let options: ConvoyOptions | null = null;
  for (const target of new Set(targets)) {
    const named = await find(db, target);
    if (!named.ok) continue;
    if (named.value.kind === 'task') tasks.push(named.value.id);
    else {
      const convoy = await convoyAggregate.load(db, named.value.id);
      options = convoy?.state.options ?? null;
      tasks.push(...(await convoyMembers(db, named.value.id)));
      if (convoy !== null && convoy.state.epic !== null) tasks.push(convoy.state.epic);
    }
  }
  return { tasks, options };
}

/** The repos of some tasks and of everything below them. */
async function reposBelow(db: Kysely<Tables>, ids: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const some of chunks(ids)) {
    const rows = await db
      .withRecursive('below', (query) =>
        query
          .selectFrom('task')
          .select(['id', 'repo'])
          .where('id', 'in', some)
          .union(
            query
              .selectFrom('task')
              .innerJoin('below', 'below.id', 'task.parent')
              .select(['task.id', 'task.repo']),
          ),
      )
      .selectFrom('below')
      .select('repo')
      .distinct()
      .where(sql<boolean>`repo is not null`)
      .execute();
    for (const { repo } of rows) if (repo !== null) found.add(repo);
  }
  return [...found];
}
