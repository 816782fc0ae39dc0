import type { Instant } from '../work/ids.ts';
import { taskId, type TaskId } from '../work/ids.ts';
import {
  DEFAULT_PRIORITY,
  LONGEST_TITLE,
  TASK_TYPES,
  type Criterion,
  type Priority,
  type TaskCore,
  type TaskState,
  type TaskType,
} from '../work/task.ts';
import { readCriteria, writeCriteria } from './beads-criteria.ts';
import { readEdges, type BadEdge } from './beads-edges.ts';
import { beadsExtra, originalsOf, withBeadsExtra, type BeadsExtra } from './beads-extra.ts';
import { readState } from './beads-state.ts';
import { readTime } from './beads-time.ts';
import { plainRow } from './beads-write.ts';
import { inexactFields, withExactNumbers } from './exact-numbers.ts';
import { fieldsFrom, isDeeperThan, isFields, textOf, wordOf, type Fields } from './fields.ts';
import { OWN_FIELD, readOwnWords, type OwnWords } from './own-words.ts';

/** What one line of a beads file turned out to be. */
export type BeadsRow =
  | BeadsTask
  | { readonly kind: 'memory' | 'header' }
  | { readonly kind: 'tombstone' | 'wisp'; readonly id: string | null }
  | { readonly kind: 'bad'; readonly why: string };

export type BeadsTask = {
  readonly kind: 'task';
  /** Only the title is required: a row without an id gets one from us. */
  readonly id: TaskId | null;
  readonly core: Omit<TaskCore, 'id'>;
  readonly state: TaskState;
  /** When the row was last changed; a row that does not say it speaks only of what it names. */
  readonly changedAt: Instant | null;
  readonly names: ReadonlySet<string>;
  readonly own: OwnWords;
  readonly badEdges: readonly Omit<BadEdge, 'from'>[];
  /** The row itself, to see whether it says anything new. */
  readonly said: Fields;
};

const DEEPEST_JSON = 200;
const LONGEST_ID = 200;
const SHOWN = 60;

/** Reads one line of text; null for a blank one. */
export function readBeadsLine(line: string, now: Instant): BeadsRow | null {
  if (line.length < LONGEST_ID && line.trim() === '') return null;
  try {
    const json = line.startsWith('\uFEFF') ? line.slice(1) : line;
    const value: unknown = JSON.parse(json);
    if (!isFields(value)) return bad(`not an object: ${excerpt(line)}`);
    const row = readBeads(value, now);
    return row.kind === 'task' ? withTexts(row, inexactFields(json)) : row;
  } catch {
    return bad(`not JSON: ${excerpt(line)}`);
  }
}

function withTexts(row: BeadsTask, texts: BeadsExtra['texts']): BeadsTask {
  if (Object.keys(texts).length === 0) return row;
  const extra = withBeadsExtra({}, { ...beadsExtra(row.core.extra), texts });
  return { ...row, core: { ...row.core, extra }, said: withExactNumbers(row.said, texts) };
}

/** Reads one parsed line; `now` stands in for times that it does not tell. */
export function readBeads(value: unknown, now: Instant): BeadsRow {
  if (!isFields(value)) return bad('not an object');
  const type = value['_type'] ?? 'issue';
  if (value['_schema'] !== undefined || type === 'header') return { kind: 'header' };
  if (type === 'memory') return { kind: 'memory' };
  if (type !== 'issue') return bad(`unknown kind of row: ${excerpt(wordOf(type))}`);
  const id = textOf(value['id']);
  if (value['status'] === 'tombstone') return { kind: 'tombstone', id };
  if (value['wisp'] === true || value['ephemeral'] === true) return { kind: 'wisp', id };
  const why = wrongIn(value);
  return why === null ? readTask(value, now) : bad(why);
}

const bad = (why: string): BeadsRow => ({ kind: 'bad', why });

const excerpt = (text: string): string =>
  text.length > SHOWN ? `${text.slice(0, SHOWN).trim()}…` : text.trim();

function wrongIn(row: Fields): string | null {
  const title = wordOf(row['title']);
  if (title === '') return 'it has no title';
  if (title.length > LONGEST_TITLE) return `its title is longer than ${LONGEST_TITLE} characters`;
  const id = row['id'] ?? null;
  if (id !== null && (typeof id !== 'string' || !isId(id))) {
    return `its id is not a word of at most ${LONGEST_ID} characters`;
  }
  return isDeeperThan(row, DEEPEST_JSON) ? `it is nested deeper than ${DEEPEST_JSON} levels` : null;
}

const isId = (id: string): boolean =>
  id.length <= LONGEST_ID && /^[^\s\p{Cc}]+$/u.test(id) && id.isWellFormed();

function readTask(row: Fields, now: Instant): BeadsTask {
  const id = typeof row['id'] === 'string' ? taskId(row['id']) : null;
  const changedAt = readTime(row['updated_at']);
  const own = readOwnWords(row[OWN_FIELD]);
  const updatedAt = changedAt ?? readTime(row['created_at']) ?? now;
  const edges = readEdges(row['dependencies'], id);
  const state = readState(row, own.state, updatedAt);
  const unknown: BeadsExtra = {
    fields: fieldsFrom(Object.entries(row).filter(([name]) => !KNOWN.has(name))),
    originals: {},
    parentEdge: edges.parentEdge,
    texts: {},
  };
  const core: Omit<TaskCore, 'id'> = {
    ...contentOf(row, own),
    parent: edges.parent,
    dependencies: edges.dependencies,
    extra: withBeadsExtra({}, unknown),
    createdAt: readTime(row['created_at']) ?? updatedAt,
    updatedAt,
  };
  const plain = plainRow(id ?? taskId(''), core, state);
  const originals = originalsOf(row, plain, REMEMBERED);
  return {
    kind: 'task',
    id,
    core: { ...core, extra: withBeadsExtra({}, { ...unknown, originals }) },
    state,
    changedAt,
    names: new Set(Object.keys(row)),
    own,
    badEdges: edges.bad,
    said: row,
  };
}

/** Fields that we have a word for, by the names of beads. */
const REMEMBERED = [
  '_type title description acceptance_criteria status priority issue_type assignee',
  'estimated_minutes created_at created_by updated_at closed_at close_reason due_at defer_until',
  `external_ref metadata labels dependencies ${OWN_FIELD}`,
].flatMap((names) => names.split(' '));
/** Counts follow from the rest, so that a kept one would only grow wrong. */
const COUNTS = ['dependency_count', 'dependent_count', 'comment_count'];
const KNOWN = new Set([...REMEMBERED, ...COUNTS, 'id']);

type Content = Omit<
  TaskCore,
  'id' | 'parent' | 'dependencies' | 'extra' | 'createdAt' | 'updatedAt'
>;

const contentOf = (row: Fields, own: OwnWords): Content => ({
  title: wordOf(row['title']),
  description: textOf(row['description']) ?? '',
  acceptance: acceptanceOf(textOf(row['acceptance_criteria']) ?? '', own),
  type: typeOf(wordOf(row['issue_type'])),
  priority: PRIORITIES.find((each) => each === row['priority']) ?? DEFAULT_PRIORITY,
  labels: labelsOf(row['labels']),
  assignee: wordOf(row['assignee']) || null,
  estimateMinutes: minutesOf(row['estimated_minutes']),
  dueAt: readTime(row['due_at']),
  externalRef: wordOf(row['external_ref']) || null,
  metadata: isFields(row['metadata']) ? row['metadata'] : {},
  createdBy: wordOf(row['created_by']) || 'import',
  attempts: 0,
  ...ownContent(own),
});

const ownContent = (own: OwnWords) => ({
  repo: own.repo ?? null,
  agent: own.agent ?? null,
  verify: own.verify ?? null,
  ownBranch: own.ownBranch ?? false,
  childCount: own.childCount ?? 0,
});

const minutesOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

const PRIORITIES: readonly Priority[] = [0, 1, 2, 3, 4];

/** Our own list counts as long as no other tool changed the text that was written from it. */
function acceptanceOf(text: string, { acceptance }: OwnWords): readonly Criterion[] {
  return acceptance && writeCriteria(acceptance) === text ? acceptance : readCriteria(text);
}

function labelsOf(value: unknown): string[] {
  const words = Array.isArray(value) ? value.map(wordOf) : [];
  return [...new Set(words.filter((word) => word !== ''))];
}

const OTHER_NAMES: ReadonlyMap<string, TaskType> = new Map([
  ['enhancement', 'feature'],
  ['feat', 'feature'],
  ['fix', 'bug'],
  ['docs', 'chore'],
  ['investigation', 'spike'],
  ['research', 'spike'],
  ['adr', 'decision'],
  ['dec', 'decision'],
  ['gate', 'decision'],
]);
/** Rows by which other tools keep house: never work for an agent. */
const HOUSEKEEPING = new Set(
  'agent convoy event formula merge-request message molecule queue rig role session slot wisp'.split(
    ' ',
  ),
);

const typeOf = (word: string): TaskType =>
  TASK_TYPES.find((each) => each === word) ??
  OTHER_NAMES.get(word) ??
  (HOUSEKEEPING.has(word) ? 'milestone' : 'task');
