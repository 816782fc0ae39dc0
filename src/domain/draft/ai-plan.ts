import type { Priority, TaskType } from '../work/task.ts';
import { type DraftEdge, type DraftNode, type DraftProblem, ROOT_KEY } from './draft-plan.ts';
import type { Draft } from './read-draft.ts';
import { validatePlan } from './validate-plan.ts';

/** A plan as a model writes it: one flat list, for models lose their way in nested ones. */
export type AiPlan = {
  readonly title: string;
  readonly description: string;
  readonly items: readonly AiItem[];
};

export type AiItem = {
  /** Any word; it only has to be told apart from the others. */
  readonly id: string;
  readonly parent: string | null;
  readonly title: string;
  readonly type: TaskType;
  readonly priority: Priority;
  readonly labels: readonly string[];
  readonly description: string;
  readonly acceptance: readonly string[];
  /** The items it waits for. */
  readonly after: readonly string[];
  readonly ownBranch: boolean;
  readonly estimateMinutes: number | null;
  /** The line of the document it comes from. */
  readonly line: number;
};

/** Makes a draft of what a model wrote, with everything that is wrong with it. */
export function draftOf({ title, description, items }: AiPlan): Draft {
  const placed = place(items);
  const root: DraftNode = {
    ...EMPTY,
    key: ROOT_KEY,
    line: 1,
    title,
    type: 'epic',
    description,
    children: childrenOf(placed, null, ''),
  };
  const keys = keysById(placed, null, '');
  const edges = items.flatMap((item) => edgesOf(item, keys));
  const problems = [...placed.problems, ...validatePlan({ root, edges })];
  return { root, edges, problems: problems.toSorted((a, b) => a.line - b.line) };
}

const EMPTY = {
  priority: 2,
  labels: [],
  acceptance: [],
  ownBranch: false,
  repo: null,
  agent: null,
  estimateMinutes: null,
} as const;

type Placed = {
  readonly under: ReadonlyMap<string | null, readonly AiItem[]>;
  readonly problems: readonly DraftProblem[];
};

/** Every item under its parent; what has none that leads to the top is a problem, not lost work. */
function place(items: readonly AiItem[]): Placed {
  const problems: DraftProblem[] = [];
  const byId = new Map<string, AiItem>();
  for (const item of items) {
    if (byId.has(item.id)) problems.push(wrong(item, `the id ${item.id} is given twice`));
    else byId.set(item.id, item);
  }
  const under = new Map<string | null, AiItem[]>();
  for (const item of byId.values()) {
    const lost = whyLost(item, byId);
    if (lost !== null) problems.push(wrong(item, lost));
    const parent = lost === null ? item.parent : null;
    under.set(parent, [...(under.get(parent) ?? []), item]);
  }
  return { under, problems };
}

function whyLost(item: AiItem, byId: ReadonlyMap<string, AiItem>): string | null {
  if (item.parent !== null && !byId.has(item.parent))
    return `"${item.title}" is under ${item.parent}, which is not in the plan`;
  const seen = new Set<string>([item.id]);
  for (let at = item.parent; at !== null; at = byId.get(at)?.parent ?? null) {
    if (seen.has(at)) return `"${item.title}" is under itself`;
    seen.add(at);
  }
  return null;
}

function childrenOf(placed: Placed, parent: string | null, prefix: string): DraftNode[] {
  return (placed.under.get(parent) ?? []).map((item, index) => {
    const key = `${prefix}${index + 1}`;
    const children = childrenOf(placed, item.id, `${key}.`);
    return {
      ...EMPTY,
      key,
      line: item.line,
      title: item.title,
      // What has something under it is an epic, whatever it was called.
      type: children.length > 0 ? 'epic' : item.type,
      priority: item.priority,
      labels: item.labels,
      description: item.description,
      acceptance: item.acceptance.map((text) => ({ text, done: false })),
      ownBranch: item.ownBranch && children.length > 0,
      estimateMinutes: item.estimateMinutes,
      children,
    };
  });
}

function keysById(placed: Placed, parent: string | null, prefix: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [index, item] of (placed.under.get(parent) ?? []).entries()) {
    const key = `${prefix}${index + 1}`;
    found.set(item.id, key);
    for (const [id, inner] of keysById(placed, item.id, `${key}.`)) found.set(id, inner);
  }
  return found;
}

/** An id nobody knows is quoted: the check names it, and it cannot pass for a key. */
const edgesOf = (item: AiItem, keys: ReadonlyMap<string, string>): DraftEdge[] =>
  [...new Set(item.after)].map((id) => ({
    from: keys.get(item.id) ?? `"${item.id}"`,
    on: keys.get(id) ?? `"${id}"`,
    line: item.line,
  }));

const wrong = ({ line }: AiItem, message: string): DraftProblem => ({
  line,
  kind: 'error',
  message,
});
