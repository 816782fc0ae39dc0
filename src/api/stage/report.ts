import type { StageReport } from '../../contract/schemas/stage.ts';
import type { Finding, Findings } from '../../domain/convoy/findings.ts';
import { criticalPath, DEFAULT_MINUTES } from '../../domain/graph/critical-path.ts';
import type { Waves } from '../../domain/graph/waves.ts';
import { childrenOf, type GraphTask, type WorkGraph } from '../../domain/graph/work-graph.ts';
import { blockersOf } from '../../domain/work/blockers.ts';
import type { TaskId } from '../../domain/work/ids.ts';
import type { Batch } from './targets.ts';

export type Report = Omit<StageReport, 'schema'>;

/** What stage answers when it wrote nothing and did not even get to look at the work. */
export const failedReport = (title: string, errors: readonly Finding[]): Report => ({
  status: 'error',
  convoy_id: null,
  title,
  restaged: false,
  launched: false,
  errors: errors.map(plain),
  warnings: [],
  notices: [],
  waves: [],
  gated: [],
  outside: [],
  inferred: [],
  tree: [],
  critical_path: [],
  estimate: { minutes: 0, critical_path_minutes: 0 },
});

/** The whole picture of a batch: tree, waves, findings, the longest way through. */
export function reportOf(
  batch: Batch,
  seen: {
    graph: WorkGraph;
    waves: Waves;
    findings: Findings;
    title: string;
    inferred: readonly { task: TaskId; on: TaskId }[];
  },
): Report {
  const { graph, waves, findings, title } = seen;
  const open = openBlockers(graph, batch.tasks);
  const members = new Set(batch.members);
  const longest =
    findings.errors.length > 0 ? { path: [], minutes: 0 } : criticalPath(graph, members);
  const minutes = batch.members.reduce(
    (sum, id) => sum + (graph.tasks.get(id)?.estimateMinutes ?? DEFAULT_MINUTES),
    0,
  );
  return {
    ...failedReport(title, findings.errors),
    warnings: findings.warnings.map(plain),
    notices: findings.notices.map(plain),
    waves: waves.waves.map((ids, place) => ({
      number: place + 1,
      tasks: ids.map((id) => {
        const task = graph.tasks.get(id);
        return {
          id,
          title: task?.title ?? '',
          repo: task?.repo ?? null,
          blocked_by: open.get(id) ?? [],
        };
      }),
    })),
    gated: waves.gated.map(({ id, gatedBy }) => ({ id, gated_by: [...gatedBy] })),
    outside: waves.outside.map(({ id, blockedBy }) => ({ id, blocked_by: [...blockedBy] })),
    inferred: seen.inferred.map(({ task, on }) => ({ id: task, depends_on: on })),
    tree: treeOf(batch, graph, open),
    critical_path: [...longest.path],
    estimate: { minutes, critical_path_minutes: longest.minutes },
  };
}

function openBlockers(graph: WorkGraph, tasks: readonly GraphTask[]): Map<TaskId, TaskId[]> {
  return new Map(
    tasks.map(({ id }) => [
      id,
      [
        ...new Set(
          blockersOf(graph, id)
            .filter(({ state, via }) => state !== 'satisfied' && via === null)
            .map(({ on }) => on),
        ),
      ],
    ]),
  );
}

/** Parents before children, depth first, without recursion: an epic may be very deep. */
function treeOf(
  batch: Batch,
  graph: WorkGraph,
  open: ReadonlyMap<TaskId, TaskId[]>,
): Report['tree'] {
  const walked = new Set(batch.tasks.map(({ id }) => id));
  const roots = batch.epic === null ? [...walked] : [batch.epic.id];
  const stack = roots.toReversed().map((id) => ({ id, depth: 0 }));
  const nodes: Report['tree'] = [];
  const seen = new Set<TaskId>();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { id, depth } = next;
    const task = graph.tasks.get(id);
    if (task === undefined || seen.has(id)) continue;
    seen.add(id);
    nodes.push({
      id,
      title: task.title,
      type: task.type,
      status: task.status,
      repo: task.repo,
      depth,
      parent: depth === 0 ? null : task.parent,
      blocked_by: open.get(id) ?? [],
    });
    if (batch.epic === null) continue;
    for (const child of childrenOf(graph, id).toReversed())
      if (walked.has(child)) stack.push({ id: child, depth: depth + 1 });
  }
  return nodes;
}

const plain = (finding: Finding): Report['errors'][number] => ({
  ...finding,
  ids: [...finding.ids],
});
