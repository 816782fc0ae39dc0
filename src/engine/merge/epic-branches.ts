import type { Convoy } from '../../domain/convoy/convoy.ts';
import { branchesOf } from '../../domain/convoy/slug.ts';
import type { Task } from '../../domain/work/task.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import type { Tx } from '../../ledger/transaction.ts';

/** A branch that collects work: the convoy's own, or that of a sub-epic. */
export type Collecting = { readonly branch: string; readonly epic: Task | null };

/** The branches above a task, from the convoy's down to the one its change is merged into. */
export async function branchesAbove(
  db: Tx['db'],
  convoy: Convoy,
  task: Pick<Task, 'parent'>,
): Promise<[Collecting, ...Collecting[]]> {
  const names = branchesOf(convoy);
  const epics: Task[] = [];
  for (let { parent } = task; parent !== null && epics.length < DEEPEST;) {
    const stored = await taskAggregate.load(db, parent);
    if (stored === null) break;
    if (stored.state.ownBranch) epics.unshift(stored.state);
    parent = stored.state.parent;
  }
  return [
    { branch: names.head, epic: null },
    ...epics.map((epic) => ({ branch: names.epic(epic.id), epic })),
  ];
}

/** Deeper than any hierarchy goes, so that a circle in imported data ends. */
const DEEPEST = 50;
