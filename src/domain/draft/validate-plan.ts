import { findCycles } from '../graph/cycles.ts';
import { workGraph, type GraphTask } from '../graph/work-graph.ts';
import { taskId } from '../work/ids.ts';
import { DEEPEST_CHILD, LONGEST_TITLE, TASK_TYPES } from '../work/task.ts';
import type { DraftEdge, DraftNode, DraftPlan, DraftProblem } from './draft-plan.ts';
import { nearNames } from './near-names.ts';

const LONGEST_DESCRIPTION = 200_000;
const LONGEST_CRITERION = 2000;
const MOST_CRITERIA = 200;
const LONGEST_LABEL = 100;
const MOST_LOOKED_AT = 200;

type Placed = { readonly node: DraftNode; readonly parent: Placed | null; readonly depth: number };

/** Everything that keeps a plan from being written down, whoever made it. */
export function validatePlan({ root, edges }: DraftPlan): DraftProblem[] {
  const placed = everyNode(root);
  const byKey = new Map(placed.map((each) => [each.node.key, each]));
  const problems = placed.flatMap((each) => wrongWith(each, byKey));
  if (root.children.length === 0) {
    const message = 'there is nothing to do in it: write each task as a list item (- like this)';
    problems.push({ line: root.line, kind: 'error', message });
  }
  const sound = edges.filter((edge) => {
    const message = wrongEdge(edge, byKey);
    if (message !== null) problems.push({ line: edge.line, kind: 'error', message });
    return message === null;
  });
  problems.push(...cycles(placed, sound, byKey));
  return problems.toSorted((a, b) => a.line - b.line);
}

function everyNode(root: DraftNode): Placed[] {
  const found: Placed[] = [];
  const open: Placed[] = [{ node: root, parent: null, depth: 0 }];
  for (let each = open.pop(); each; each = open.pop()) {
    found.push(each);
    const { node, depth } = each;
    for (const child of node.children.toReversed())
      open.push({ node: child, parent: each, depth: depth + 1 });
  }
  return found;
}

type ByKey = ReadonlyMap<string, Placed>;

function wrongWith(placed: Placed, byKey: ByKey): DraftProblem[] {
  const { node, depth } = placed;
  const { line, title } = node;
  const name = title.length > 60 ? `${title.slice(0, 60)}…` : title;
  const isEpic = node.type === 'epic';
  const tests: [boolean, DraftProblem['kind'], string][] = [
    [title.trim() === '', 'error', 'a title is empty'],
    [
      title.length > LONGEST_TITLE,
      'error',
      `a title has more than ${LONGEST_TITLE} characters: ${name}`,
    ],
    [byKey.get(node.key) !== placed, 'error', `the key ${node.key} is given twice`],
    [!TASK_TYPES.includes(node.type), 'error', `"${name}" has an unknown type ${node.type}`],
    [depth > DEEPEST_CHILD, 'error', `"${name}" is nested deeper than ${DEEPEST_CHILD} levels`],
    [!isEpic && node.children.length > 0, 'error', `"${name}" has tasks under it but is no epic`],
    [
      isEpic && depth > 0 && node.children.length === 0,
      'warning',
      `nothing is under the epic "${name}"`,
    ],
    [node.ownBranch && !isEpic, 'error', `"${name}" is no epic and cannot have its own branch`],
    [node.description.length > LONGEST_DESCRIPTION, 'error', `the text of "${name}" is too long`],
    [
      node.acceptance.length > MOST_CRITERIA,
      'error',
      `"${name}" has more than ${MOST_CRITERIA} criteria`,
    ],
    [
      node.acceptance.some(({ text }) => text.length > LONGEST_CRITERION || text === ''),
      'error',
      `a criterion of "${name}" is empty or has more than ${LONGEST_CRITERION} characters`,
    ],
    [
      node.labels.some((label) => label.length > LONGEST_LABEL || label === ''),
      'error',
      `a label of "${name}" is empty or has more than ${LONGEST_LABEL} characters`,
    ],
  ];
  return tests.flatMap(([isWrong, kind, message]) => (isWrong ? [{ line, kind, message }] : []));
}

function wrongEdge({ from, on }: DraftEdge, byKey: ByKey): string | null {
  const later = byKey.get(from);
  const earlier = byKey.get(on);
  if (!later || !earlier) {
    const unknown = later ? on : from;
    // A look at every key is too much for a large plan.
    const near = byKey.size > MOST_LOOKED_AT ? [] : nearNames(unknown, byKey.keys());
    return `there is no ${unknown} in the plan${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''}`;
  }
  if (from === on) return `"${later.node.title}" cannot wait for itself`;
  if (isUnder(later, earlier)) {
    return `"${later.node.title}" is part of "${earlier.node.title}" and cannot wait for it`;
  }
  return isUnder(earlier, later)
    ? `"${earlier.node.title}" is part of "${later.node.title}", which waits for it anyway`
    : null;
}

function isUnder(below: Placed, above: Placed): boolean {
  let each: Placed | null = below;
  while (each && each !== above) each = each.parent;
  return each === above;
}

function cycles(
  placed: readonly Placed[],
  edges: readonly DraftEdge[],
  byKey: ByKey,
): DraftProblem[] {
  const waits = Map.groupBy(edges, ({ from }) => from);
  const tasks = placed.map(({ node, parent }): GraphTask => ({
    id: taskId(node.key),
    type: node.type,
    parent: parent && taskId(parent.node.key),
    repo: null,
    priority: node.priority,
    createdAt: 0,
    estimateMinutes: null,
    title: node.title,
    status: 'open',
    dependencies: (waits.get(node.key) ?? []).map(({ on }) => ({ on: taskId(on), kind: 'blocks' })),
  }));
  return findCycles(workGraph(tasks)).map(({ path }) => {
    const nodes = path.flatMap((key) => byKey.get(key)?.node ?? []);
    const steps = nodes.map(({ title, line }) => `"${title}" (line ${line})`);
    return {
      line: Math.min(...nodes.map(({ line }) => line)),
      kind: 'error',
      message: `these wait for each other: ${[...steps, steps[0]].join(' → ')}`,
    };
  });
}
