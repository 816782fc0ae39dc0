import type { Problem } from '../../contract/problem.ts';
import { draftTasks } from '../../contract/routes/interchange.ts';
import type { DraftEdge, DraftNode } from '../../domain/draft/draft-plan.ts';
import { ROOT_KEY } from '../../domain/draft/draft-plan.ts';
import { type Draft, readDraft } from '../../domain/draft/read-draft.ts';
import { type TaskId, taskId } from '../../domain/work/ids.ts';
import { newTask } from '../../domain/work/new-task.ts';
import type { Task } from '../../domain/work/task.ts';
import { idLength } from '../../domain/work/task-id.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Settings } from '../../ports/settings.ts';
import { type Services, writes } from '../context.ts';
import { repoFor, settingsOf } from '../repos.ts';

/** Reads a PRD and writes the epic, its sub-epics, tasks and edges, all or nothing. */
export const draftCreate = writes(draftTasks, async ({ body }, tx, services) => {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const draft = readDraft(body.text, body.name);
  const errors = draft.problems.filter(({ kind }) => kind === 'error');
  if (errors.length > 0) return err(unreadable(errors));
  await tx.alone('graph');
  const repo = repoFor(settings.value, draft.root.repo ?? body.repo, null);
  if (!repo.ok) return repo;
  const root = await freshRoot(
    tx,
    services,
    settings.value.repos[repo.value]?.prefix ?? repo.value,
  );
  const tasks = plannedTasks(draft, root, settings.value, repo.value, tx);
  if (!tasks.ok) return tasks;
  if (!body.dry_run)
    for (const { task } of tasks.value)
      await tx.record(taskAggregate, task.id, [{ type: 'task-created', task }]);
  return ok({
    root: body.dry_run ? null : root,
    tasks: tasks.value.map(({ task, key }) => ({
      id: task.id,
      key,
      title: task.title,
      type: task.type,
      parent: task.parent,
      depends_on: task.dependencies.map(({ on }) => on),
    })),
    warnings: draft.problems
      .filter(({ kind }) => kind === 'warning')
      .map(({ line, message }) => ({ line, message })),
    dry_run: body.dry_run,
  });
});

const unreadable = (errors: readonly { line: number; message: string }[]): Problem => ({
  kind: 'invalid',
  code: 'draft_invalid',
  message: errors.map(({ line, message }) => `line ${line}: ${message}`).join('\n'),
  remedy: 'Mend the document; nothing was written.',
  fields: errors.map(({ line, message }) => ({ path: `line ${line}`, message })),
});

async function freshRoot(tx: Tx, { ids }: Services, prefix: string): Promise<TaskId> {
  const { count } = await tx.db
    .selectFrom('task')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  for (;;) {
    const id = taskId(`${prefix}-${ids.base36(idLength(count))}`);
    if ((await tx.load(taskAggregate, id)) === null) return id;
  }
}

type Planned = { readonly key: string; readonly task: Task };

function plannedTasks(
  draft: Draft,
  root: TaskId,
  settings: Settings,
  fallback: string,
  tx: Tx,
): Result<Planned[], Problem> {
  const idOf = (key: string): TaskId => (key === ROOT_KEY ? root : taskId(`${root}.${key}`));
  const planned: Planned[] = [];
  const waiting: { node: DraftNode; parent: TaskId | null }[] = [
    { node: draft.root, parent: null },
  ];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { node, parent } = next;
    const repo = repoFor(settings, node.repo ?? fallback, null);
    if (!repo.ok) return repo;
    const id = idOf(node.key);
    const { title, type, priority, labels, description, acceptance, ownBranch, agent } = node;
    const task = newTask(
      id,
      {
        title,
        repo: repo.value,
        type,
        priority,
        labels,
        description,
        acceptance,
        ownBranch,
        agent,
        parent,
        estimateMinutes: node.estimateMinutes,
        dependencies: edgesFrom(draft.edges, node.key, idOf),
      },
      tx.actor,
      tx.at,
    );
    planned.push({ key: node.key, task: { ...task, childCount: node.children.length } });
    waiting.push(...node.children.map((child) => ({ node: child, parent: id })));
  }
  return ok(planned);
}

const edgesFrom = (
  edges: readonly DraftEdge[],
  key: string,
  idOf: (key: string) => TaskId,
): Task['dependencies'] =>
  edges.filter(({ from }) => from === key).map(({ on }) => ({ on: idOf(on), kind: 'blocks' }));
