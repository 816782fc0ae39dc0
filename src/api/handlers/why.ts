import type { Problem } from '../../contract/problem.ts';
import { stranded, why } from '../../contract/routes/convoys.ts';
import type { MisdeedJson } from '../../contract/schemas/task.ts';
import { type Approval, isQuestion } from '../../domain/approval/approval.ts';
import { type Convoy, isStaged } from '../../domain/convoy/convoy.ts';
import { passedOver } from '../../domain/work/after-failure.ts';
import { type Readiness, readiness } from '../../domain/work/readiness.ts';
import type { Task } from '../../domain/work/task.ts';
import { attemptsOf } from '../../ledger/queries/attempts.ts';
import { convoyList } from '../../ledger/queries/convoy-list.ts';
import { convoyMembers, convoyOfTasks } from '../../ledger/queries/convoy-members.ts';
import { graphAround } from '../../ledger/queries/graph-around.ts';
import { taskList, tasksById } from '../../ledger/queries/task-list.ts';
import { surroundingsOf } from '../../ledger/surroundings.ts';
import { ok, type Result } from '../../lib/result.ts';
import { agentCheck } from '../../ports/missing-agent.ts';
import { reads, type Services } from '../context.ts';
import { find, findConvoy, findTask } from '../find.ts';
import { forecast, type ForecastJson } from '../forecast.ts';
import { settingsOf } from '../repos.ts';
import { questionsIn } from './task-show.ts';
import { misdeedsView } from '../view/misdeeds-view.ts';
import { queueReasons } from '../view/queue-reasons.ts';
import { convoyRows } from '../view/convoy-view.ts';
import { convoyPushReasons, taskPushReasons } from '../view/remote-view.ts';

type Reason = { code: string; message: string; ids: string[] };

/** Why something is where it is: the one readiness function, asked about one thing. */
export const whyIs = reads(why, async ({ params }, services) => {
  const { db } = services.ledger;
  const named = await find(db, params.id);
  if (!named.ok) return named;
  const { id, kind } = named.value;
  if (kind === 'convoy') {
    const convoy = await findConvoy(db, id);
    if (!convoy.ok) return convoy;
    const answer = await whyConvoy(convoy.value, services);
    return answer.ok ? ok({ id, kind, state: convoy.value.status, reasons: answer.value }) : answer;
  }
  const task = await findTask(db, id);
  if (!task.ok) return task;
  const answers = await readinessOf([task.value], services);
  if (!answers.ok) return answers;
  const { state, reasons, without } = answers.value.get(id) ?? NOTHING;
  const queued = [
    ...(await queueReasons(db, task.value, services.now())),
    ...(await taskPushReasons(db, task.value)),
  ];
  const isQueued = queued.some(({ code }) => code === 'submitted');
  const rest = reasons.filter(({ code }) => !isQueued || code !== 'submitted');
  const ahead = (await forecast(services, new Set([id]))).map((one) => collisionAhead(id, one));
  const asked = (await questionsIn(db, task.value)).map((one) => asksPerson(id, one));
  const misdeeds = misdeedsView(await attemptsOf(db, id)).map(misdeedSeen);
  const said = [...asked, ...queued, ...rest.map(plain), ...without, ...ahead, ...misdeeds];
  return ok({ id, kind, state, reasons: said });
});

/** Nothing waits for it; a person should know, and may have to tidy up. */
const misdeedSeen = ({ attempt, number, text }: MisdeedJson): Reason => ({
  code: 'misdeed',
  message: `Attempt ${number}: ${text}. None of it is part of the change.`,
  ids: [attempt],
});

/** It moves again once a person has spoken, so this comes first. */
const asksPerson = (id: string, approval: Approval): Reason => ({
  code: 'asks_person',
  message: `${approval.summary}. ${
    isQuestion(approval)
      ? `convoy answer ${approval.id} "…" answers it`
      : `convoy approve ${approval.id} allows it`
  }.`,
  ids: [id, approval.id],
});

/** A forecast, after what is true now: whichever lands second will conflict. */
function collisionAhead(id: string, { tasks, files }: ForecastJson): Reason {
  const other = tasks.find((task) => task !== id) ?? id;
  const where = files.slice(0, 5).join(', ');
  const message = `${id} and ${other} do not merge as they stand: both change ${where}. Whichever lands second conflicts.`;
  return { code: 'conflict_ahead', message, ids: [id, other] };
}

/** Convoys and tasks that nothing will move by itself. */
export const strandedNow = reads(stranded, async (_, services) => {
  const { db } = services.ledger;
  const live = await convoyList(db, { live: true, limit: MOST });
  const rows = await convoyRows(db, live);
  const convoys = [];
  for (const [place, convoy] of live.entries()) {
    const row = rows[place];
    const answer = await whyConvoy(convoy, services);
    if (!answer.ok) return answer;
    const isStuck = answer.value.some(({ code }) => STUCK.has(code));
    if (isStuck && row !== undefined) convoys.push({ ...row, reasons: answer.value });
  }
  const tasks = await taskList(db, {
    status: ['open', 'failed', 'blocked', 'pinned', 'deferred'],
    limit: MOST,
  });
  const answers = await readinessOf(tasks, services);
  if (!answers.ok) return answers;
  const convoyOf = await convoyOfTasks(
    db,
    tasks.map(({ id }) => id),
  );
  const held = tasks.flatMap((task) => {
    const answer = answers.value.get(task.id);
    if (answer?.state !== 'held' || !convoyOf.has(task.id)) return [];
    // Nobody has started it yet: it is not stuck, it is planned.
    if (answer.reasons.some(({ code }) => code === 'convoy_staged')) return [];
    return {
      id: task.id,
      title: task.title,
      convoy: convoyOf.get(task.id) ?? null,
      state: answer.state,
      reasons: answer.reasons.map(plain),
    };
  });
  return ok({ convoys, tasks: held });
});

const MOST = 10_000;
const NOTHING: Explained = { state: 'held', reasons: [], without: [] };
const STUCK = new Set([
  'convoy_stalled',
  'convoy_not_feeding',
  'convoy_paused',
  'convoy_empty',
  'all_held',
]);

async function whyConvoy(convoy: Convoy, services: Services): Promise<Result<Reason[], Problem>> {
  const { db } = services.ledger;
  const members = await tasksById(db, await convoyMembers(db, convoy.id));
  const answers = await readinessOf(members, services);
  if (!answers.ok) return answers;
  return ok([
    ...own(convoy),
    ...summary(convoy, members, answers.value),
    ...(await convoyPushReasons(db, convoy)),
  ]);
}

function own(convoy: Convoy): Reason[] {
  const { id, status, reason } = convoy;
  const say = (code: string, message: string): Reason => ({ code, message, ids: [id] });
  if (isStaged(status))
    return [say('convoy_staged', `${id} is staged; convoy launch ${id} starts it.`)];
  if (status === 'paused') return [say('convoy_paused', `${id} is paused: ${reason ?? ''}.`)];
  if (status === 'stalled') return [say('convoy_stalled', `${id} is stalled: ${reason ?? ''}.`)];
  if (status === 'open' && !convoy.feeding)
    return [say('convoy_not_feeding', `${id} only tracks; convoy launch ${id} starts it.`)];
  return status === 'open' || status === 'landing'
    ? []
    : [say('finished', `${id} is ${status}${reason === null ? '' : `: ${reason}`}.`)];
}

function summary(
  convoy: Convoy,
  members: readonly Task[],
  answers: ReadonlyMap<string, Explained>,
): Reason[] {
  if (members.length === 0)
    return [{ code: 'convoy_empty', message: `${convoy.id} tracks no task.`, ids: [convoy.id] }];
  const groups = new Map<string, { message: string; ids: string[] }>();
  for (const task of members) {
    const [first] = answers.get(task.id)?.reasons ?? [];
    if (first === undefined || first.code === 'finished') continue;
    const group = groups.get(first.code);
    if (group === undefined) groups.set(first.code, { message: first.message, ids: [task.id] });
    else group.ids.push(task.id);
  }
  return [...groups].map(([code, { message, ids }]) => ({
    code,
    message: ids.length === 1 ? message : `${ids.length} tasks: ${message}`,
    ids,
  }));
}

/** Readiness of many tasks with one look at the world. */
async function readinessOf(
  tasks: readonly Task[],
  services: Services,
): Promise<Result<Map<string, Explained>, Problem>> {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const { db } = services.ledger;
  const graph = await graphAround(db, tasks);
  const facts = await surroundingsOf(db, settings.value, tasks, {
    now: services.now(),
    agentMissing: agentCheck(settings.value, services.machine),
    hostFull: null,
  });
  const explain = (task: Task): Explained => {
    const seen = facts(task);
    const answer = readiness(task, graph, seen);
    const passed =
      seen.afterFailure === 'continue' && answer.state !== 'finished'
        ? passedOver(graph, task.id)
        : [];
    return { ...answer, without: passed.map(goneOn) };
  };
  return ok(new Map(tasks.map((task) => [task.id, explain(task)])));
}

/** Readiness, and the failures that do not count against it. */
type Explained = Readiness & { readonly without: readonly Reason[] };

const goneOn = (on: string): Reason => ({
  code: 'after_failure',
  message: `${on} failed; the failure policy is to continue without it.`,
  ids: [on],
});

const plain = ({ code, message, ids }: Readiness['reasons'][number]): Reason => ({
  code,
  message,
  ids: [...ids],
});
