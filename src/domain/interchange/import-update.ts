import { unreachable } from '../../lib/unreachable.ts';
import { ALLOWED } from '../work/allowed.ts';
import type { TaskCommand, TaskPatch } from '../work/commands.ts';
import type { TaskId } from '../work/ids.ts';
import { isDone, type Task, type TaskState } from '../work/task.ts';
import { beadsExtra, withBeadsExtra } from './beads-extra.ts';
import type { BeadsTask } from './beads-read.ts';
import { writeCriteria } from './beads-criteria.ts';
import { stateWords } from './beads-state.ts';
import { writeBeads } from './beads-write.ts';
import { isSame, type Fields } from './fields.ts';

/** What a row changes about a task that we have. */
export type TaskUpdate = {
  readonly id: TaskId;
  readonly line: number;
  readonly commands: readonly TaskCommand[];
  /** Why the task keeps its state although the row names another. */
  readonly kept: string | null;
};

/** By which field of a row each of ours is said. */
const SAID_BY = [
  ['title', 'title'],
  ['description', 'description'],
  ['acceptance', 'acceptance_criteria'],
  ['type', 'issue_type'],
  ['priority', 'priority'],
  ['labels', 'labels'],
  ['parent', 'dependencies'],
  ['dependencies', 'dependencies'],
  ['assignee', 'assignee'],
  ['estimateMinutes', 'estimated_minutes'],
  ['dueAt', 'due_at'],
  ['externalRef', 'external_ref'],
  ['metadata', 'metadata'],
] as const;

/**
 * The task as the row wants it, in its present state.
 *
 * A row that tells when it was changed is the whole truth, so that a field it leaves out is empty.
 * A row that does not speaks only of what it names. Words that only we have change only when named.
 */
export function merged(before: Task, row: BeadsTask): Task {
  const { core, own } = row;
  const said = SAID_BY.filter(([, name]) => speaksOf(row, name));
  const content = Object.fromEntries(said.map(([field]) => [field, core[field]]));
  return {
    ...before,
    ...content,
    ...(isSame(writeCriteria(before.acceptance), writeCriteria(core.acceptance)) && {
      acceptance: before.acceptance,
    }),
    ...(own.repo !== undefined && { repo: own.repo }),
    ...(own.agent !== undefined && { agent: own.agent }),
    ...(own.verify !== undefined && { verify: own.verify }),
    ...(own.ownBranch !== undefined && { ownBranch: own.ownBranch }),
    extra: mergedExtra(before, row),
  };
}

const speaksOf = (row: BeadsTask, name: string): boolean =>
  row.changedAt !== null || row.names.has(name);

function mergedExtra(before: Task, row: BeadsTask): Task['extra'] {
  const now = beadsExtra(row.core.extra);
  if (row.changedAt !== null) return withBeadsExtra(before.extra, now);
  const old = beadsExtra(before.extra);
  const named = Object.entries(now.originals).filter(([name]) => row.names.has(name));
  return withBeadsExtra(before.extra, {
    fields: { ...old.fields, ...now.fields },
    originals: { ...unnamed(old.originals, row), ...Object.fromEntries(named) },
    parentEdge: row.names.has('dependencies') ? now.parentEdge : old.parentEdge,
    texts: { ...unnamed(old.texts, row), ...now.texts },
  });
}

/** What is remembered of fields that the row does not speak of. */
const unnamed = <T>(remembered: Readonly<Record<string, T>>, { names }: BeadsTask) =>
  Object.fromEntries(Object.entries(remembered).filter(([name]) => !names.has(name)));

/** Whether a row is what we would write ourselves: then it says nothing new, whatever it leaves out. */
function isOurOwnWriting(before: Task, { own, said }: BeadsTask): boolean {
  // A row that does not name the repo has left out the one that its id implies.
  const implied = own.repo === undefined ? before.repo : null;
  return isSame(inOrder(writeBeads(before, () => implied)), inOrder(said));
}

const inOrder = (row: Fields): [string, unknown][] =>
  Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The commands that turn the task as it is into the task as it is wanted. */
export function commandsFor(before: Task, after: Task, row: BeadsTask, line: number): TaskUpdate {
  if (isOurOwnWriting(before, row)) return { id: before.id, line, commands: [], kept: null };
  const state = speaksOf(row, 'status') ? toState(before, row.state) : null;
  return {
    id: before.id,
    line,
    commands: [
      ...edit(before, after),
      ...edgeCommands(before, after),
      ...(state && typeof state !== 'string' ? [state] : []),
    ],
    kept: typeof state === 'string' ? state : null,
  };
}

const PATCHED = [
  ...(['repo', 'title', 'description', 'acceptance', 'type', 'priority', 'labels'] as const),
  ...(['parent', 'assignee', 'estimateMinutes', 'dueAt', 'externalRef', 'metadata'] as const),
  ...(['agent', 'verify', 'ownBranch', 'extra'] as const),
];

function edit(before: Task, after: Task): TaskCommand[] {
  const changed = PATCHED.filter((field) => !isSame(before[field], after[field]));
  if (changed.length === 0) return [];
  const patch: TaskPatch = Object.fromEntries(changed.map((field) => [field, after[field]]));
  return [{ type: 'edit', patch }];
}

function edgeCommands(before: Task, after: Task): TaskCommand[] {
  const had = new Set(before.dependencies.map((edge) => JSON.stringify(edge)));
  const has = new Set(after.dependencies.map((edge) => JSON.stringify(edge)));
  const gone = before.dependencies.filter((edge) => !has.has(JSON.stringify(edge)));
  const come = after.dependencies.filter((edge) => !had.has(JSON.stringify(edge)));
  return [
    ...gone.map(({ on, kind }): TaskCommand => ({ type: 'remove-dependency', on, kind })),
    ...come.map((dependency): TaskCommand => ({ type: 'add-dependency', dependency })),
  ];
}

/** The command that leads to a state, null when there is nothing to do, or why it is not given. */
function toState(before: Task, wanted: TaskState): TaskCommand | string | null {
  if (isSame(stateWords(before), stateWords(wanted))) return null;
  if (isDone(before.status) && isDone(wanted.status)) return null;
  const isLive = before.status === 'in_progress' || before.status === 'submitted';
  if (isLive && wanted.status === 'open') return null;
  const command = leadingTo(wanted);
  if (command === null) return null;
  if (isLive || !ALLOWED[command.type].includes(before.status)) {
    return `it is ${before.status} here, and the row says ${wanted.status}`;
  }
  return command;
}

function leadingTo(wanted: TaskState): TaskCommand | null {
  switch (wanted.status) {
    case 'open':
      return { type: 'release' };
    case 'deferred':
      return { type: 'defer', until: wanted.until };
    case 'pinned':
      return { type: 'pin' };
    case 'blocked':
      return { type: 'hold', reason: wanted.reason };
    case 'closed':
      return { type: 'close', outcome: wanted.outcome };
    case 'failed':
      return { type: 'fail', reason: wanted.reason };
    case 'skipped':
      return { type: 'skip', reason: wanted.reason };
    case 'cancelled':
      return { type: 'cancel', reason: wanted.reason };
    // No row is read as one of these: they need facts of this workspace.
    case 'in_progress':
    case 'submitted':
    case 'merged':
      return null;
    default:
      return unreachable(wanted);
  }
}
