import { listTasks } from '../../contract/routes/tasks.ts';
import { readiness } from '../../domain/work/readiness.ts';
import type { Task } from '../../domain/work/task.ts';
import { convoyOfTasks } from '../../ledger/queries/convoy-members.ts';
import { graphAround } from '../../ledger/queries/graph-around.ts';
import { taskList } from '../../ledger/queries/task-list.ts';
import { surroundingsOf } from '../../ledger/surroundings.ts';
import { ok } from '../../lib/result.ts';
import type { Settings } from '../../ports/settings.ts';
import { agentCheck } from '../../ports/missing-agent.ts';
import { reads, type Services } from '../context.ts';
import { cursorOf, readCursor } from '../cursor.ts';
import { settingsOf } from '../repos.ts';
import { taskRowView } from '../view/task-view.ts';

/** Tasks that match every filter, oldest first. */
export const tasksList = reads(listTasks, async ({ query }, services) => {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const after = readCursor(query.cursor);
  if (!after.ok) return after;
  const { db } = services.ledger;
  const found = await taskList(db, {
    status: query.ready === true ? ['open', 'deferred'] : query.status,
    type: query.type,
    repo: query.repo,
    labels: query.label,
    parent: query.parent,
    convoy: query.convoy,
    assignee: query.assignee,
    text: query.text,
    after: after.value,
    limit: query.limit + 1,
  });
  const page = found.slice(0, query.limit);
  const wanted = query.ready === true ? await startable(page, services, settings.value) : page;
  const convoys = await convoyOfTasks(
    db,
    wanted.map(({ id }) => id),
  );
  return ok({
    tasks: wanted.map((task) => taskRowView(task, convoys.get(task.id) ?? null)),
    next: found.length > query.limit ? cursorOf(page.at(-1)) : null,
  });
});

/** Reasons that belong to a convoy or to capacity do not make a task less ready to be picked up. */
const ELSEWHERE = new Set([
  'not_in_convoy',
  'convoy_staged',
  'convoy_not_feeding',
  'no_capacity',
  'agent_not_available',
]);

async function startable(tasks: Task[], services: Services, settings: Settings): Promise<Task[]> {
  const { db } = services.ledger;
  const graph = await graphAround(db, tasks);
  const facts = await surroundingsOf(db, settings, tasks, {
    now: services.now(),
    agentMissing: agentCheck(settings, services.machine),
    hostFull: null,
  });
  return tasks.filter((task) =>
    readiness(task, graph, facts(task)).reasons.every(({ code }) => ELSEWHERE.has(code)),
  );
}
