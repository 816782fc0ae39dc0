import type { Kysely } from 'kysely';
import type { Problem } from '../contract/problem.ts';
import type { Convoy } from '../domain/convoy/convoy.ts';
import { branchesOf } from '../domain/convoy/slug.ts';
import type { Task } from '../domain/work/task.ts';
import { taskAggregate } from '../ledger/aggregates/task.ts';
import { convoyMembers, convoyOfTasks } from '../ledger/queries/convoy-members.ts';
import { tasksById } from '../ledger/queries/task-list.ts';
import type { Tables } from '../ledger/tables.ts';
import { ok, type Result } from '../lib/result.ts';
import { find, findConvoy } from './find.ts';
import { refused } from './problems.ts';

type Db = Kysely<Tables>;

/** What is to land: a convoy in its targets, or a sub-epic in the branch above it. */
export type LandSubject = {
  readonly convoy: Convoy;
  readonly epic: Task | null;
  /** The work of it. */
  readonly tasks: readonly Task[];
  readonly branch: string;
  /** Null: the target of each repo. */
  readonly into: string | null;
};

export async function landSubject(db: Db, text: string): Promise<Result<LandSubject, Problem>> {
  const named = await find(db, text, ['convoy', 'task']);
  if (!named.ok) return named;
  return named.value.kind === 'convoy'
    ? wholeConvoy(db, named.value.id)
    : subEpic(db, named.value.id);
}

async function wholeConvoy(db: Db, id: string): Promise<Result<LandSubject, Problem>> {
  const found = await findConvoy(db, id);
  if (!found.ok) return found;
  const convoy = found.value;
  const tasks = await tasksById(db, await convoyMembers(db, convoy.id));
  return ok({ convoy, epic: null, tasks, branch: branchesOf(convoy).head, into: null });
}

async function subEpic(db: Db, id: string): Promise<Result<LandSubject, Problem>> {
  const stored = await taskAggregate.load(db, id);
  if (stored?.state.ownBranch !== true)
    return refused(
      'no_branch_of_its_own',
      `${id} has no branch of its own that could land.`,
      'Name a convoy, or a sub-epic that was made with --own-branch.',
      [id],
    );
  const epic = stored.state;
  const below = await idsBelow(db, id);
  const convoyOf = await convoyOfTasks(db, below);
  const [convoyId] = convoyOf.values();
  if (convoyId === undefined)
    return refused('in_no_convoy', `No convoy has work of ${id}.`, `convoy launch ${id}`, [id]);
  const found = await findConvoy(db, convoyId);
  if (!found.ok) return found;
  const names = branchesOf(found.value);
  const tasks = await tasksById(
    db,
    below.filter((task) => convoyOf.get(task) === convoyId),
  );
  const above = await branchAbove(db, epic);
  return ok({
    convoy: found.value,
    epic,
    tasks,
    branch: names.epic(epic.id),
    into: above === null ? names.head : names.epic(above.id),
  });
}

/** Everything under an epic, however deep. */
async function idsBelow(db: Db, epic: string): Promise<string[]> {
  const found = new Set<string>();
  for (let level = [epic]; level.length > 0 && found.size < MOST_BELOW;) {
    const rows = await db.selectFrom('task').select('id').where('parent', 'in', level).execute();
    level = rows.map(({ id }) => id).filter((id) => !found.has(id));
    for (const id of level) found.add(id);
  }
  return [...found];
}

const MOST_BELOW = 100_000;

/** Deeper than any hierarchy goes, so that a circle in imported data ends. */
const DEEPEST = 50;

/** The nearest epic above that collects work on a branch; null is the convoy's own. */
async function branchAbove(db: Db, epic: Task): Promise<Task | null> {
  let { parent } = epic;
  for (let steps = 0; parent !== null && steps < DEEPEST; steps++) {
    const stored = await taskAggregate.load(db, parent);
    if (stored?.state.ownBranch === true) return stored.state;
    parent = stored?.state.parent ?? null;
  }
  return null;
}
