import type { RepoName, TaskId } from '../work/ids.ts';
import type { Criterion, Task, TaskCore, TaskState } from '../work/task.ts';
import { readCriteria, writeCriteria } from './beads-criteria.ts';
import { writeEdges } from './beads-edges.ts';
import { beadsExtra, givenBack } from './beads-extra.ts';
import { stateWords } from './beads-state.ts';
import { writeTime } from './beads-time.ts';
import { withExactNumbers } from './exact-numbers.ts';
import { fieldsFrom, isSame, type Fields } from './fields.ts';
import { OWN_FIELD, writeOwnWords } from './own-words.ts';

/** The repo that an import would choose for an id by itself, so that it need not be said. */
export type ImpliedRepo = (id: TaskId) => RepoName | null;

/** A task as one row of beads JSONL, with everything that its own row said when it came. */
export function writeBeads(task: Task, impliedRepo: ImpliedRepo = () => null): Fields {
  const repo = task.repo === impliedRepo(task.id) ? null : task.repo;
  const plain = plainRow(task.id, { ...task, repo }, task);
  const { fields, originals, texts } = beadsExtra(task.extra);
  const known = Object.keys(plain).map((name) => {
    // Work that was tried here is not as it came, even when its status is called the same again.
    const isOurs = name === 'status' && task.attempts > 0;
    return [name, isOurs ? plain[name] : givenBack(originals[name], plain[name])] as const;
  });
  const own = known.filter(([name]) => name === OWN_FIELD);
  const theirs = known.filter(([name]) => name !== OWN_FIELD);
  return withExactNumbers(fieldsFrom([...theirs, ...Object.entries(fields), ...own]), texts);
}

export const beadsLine = (task: Task, impliedRepo?: ImpliedRepo): string =>
  JSON.stringify(writeBeads(task, impliedRepo));

/** The row that a task is without any memory of another; every known field is named, in order. */
export function plainRow(id: TaskId, core: Omit<TaskCore, 'id'>, state: TaskState): Fields {
  const words = stateWords(state);
  const criteria = writeCriteria(core.acceptance);
  const edges = writeEdges(id, { ...core, parentEdge: beadsExtra(core.extra).parentEdge });
  return {
    _type: 'issue',
    id,
    title: core.title,
    description: said(core.description),
    acceptance_criteria: said(criteria),
    status: words.status,
    priority: core.priority,
    issue_type: core.type,
    assignee: said(core.assignee),
    estimated_minutes: said(core.estimateMinutes),
    created_at: writeTime(core.createdAt),
    created_by: said(core.createdBy),
    updated_at: writeTime(core.updatedAt),
    closed_at: words.closedAt,
    close_reason: words.closeReason,
    due_at: core.dueAt === null ? undefined : writeTime(core.dueAt),
    defer_until: words.deferUntil,
    external_ref: said(core.externalRef),
    metadata: filled(core.metadata),
    labels: filled(core.labels),
    dependencies: filled(edges),
    [OWN_FIELD]: writeOwnWords({
      ...core,
      acceptance: saysItAll(criteria, core.acceptance) ? null : core.acceptance,
      state: words.own ?? null,
    }),
  };
}

const said = (value: string | number | null): unknown =>
  value === null || value === '' ? undefined : value;

const filled = (value: object): unknown => (Object.keys(value).length === 0 ? undefined : value);

const saysItAll = (text: string, criteria: readonly Criterion[]): boolean =>
  isSame(
    readCriteria(text),
    criteria.map(({ text: words, done }) => ({ text: words, done })),
  );
