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
  const isWanted = query.startable === true ? STARTABLE : query.ready === true ? READY : null;
  const wanted: Task[] = [];
  let from = after.value;
  let more = true;
  // Only some of a page may be wanted; a short answer must not look like the end.
  while (more && wanted.length < query.limit) {
    const found = await taskList(db, {
      status: isWanted === null ? query.status : ['open', 'deferred'],
      type: query.type,
      repo: query.repo,
      labels: query.label,
      parent: query.parent,
      convoy: query.convoy,
      assignee: query.assignee,
      text: query.text,
      after: from,
      limit: query.limit + 1,
    });
    const page = found.slice(0, query.limit);
    const fitting = isWanted === null ? page : await only(page, isWanted, services, settings.value);
    const taken = fitting.slice(0, query.limit - wanted.length);
    wanted.push(...taken);
    more = found.length > query.limit || taken.length < fitting.length;
    from = taken.length < fitting.length ? taken.at(-1) : page.at(-1);
  }
  const convoys = await convoyOfTasks(
    db,
    wanted.map(({ id }) => id),
  );
  return ok({
    tasks: wanted.map((task) => taskRowView(task, convoys.get(task.id) ?? null)),
    next: more ? cursorOf(from) : null,
  });
});

type Wanted = (codes: readonly string[]) => boolean;

/** Reasons that belong to a convoy or to capacity do not make a task less ready to be picked up. */
const ELSEWHERE = new Set([
  'not_in_convoy',
  'convoy_staged',
  'convoy_not_feeding',
  'no_capacity',
  'agent_not_available',
]);

const READY: Wanted = (codes) => codes.every((code) => ELSEWHERE.has(code));
const STARTABLE: Wanted = (codes) => codes.length === 0;

async function only(
  tasks: Task[],
  isWanted: Wanted,
  services: Services,
  settings: Settings,
): Promise<Task[]> {
  const { db } = services.ledger;
  const graph = await graphAround(db, tasks);
  const facts = await surroundingsOf(db, settings, tasks, {
    now: services.now(),
    agentMissing: agentCheck(settings, services.machine),
    hostFull: null,
  });
  return tasks.filter((task) =>
    isWanted(readiness(task, graph, facts(task)).reasons.map(({ code }) => code)),
  );
}
