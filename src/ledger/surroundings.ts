import type { Kysely } from 'kysely';
import type { Convoy } from '../domain/convoy/convoy.ts';
import { repoName } from '../domain/work/ids.ts';
import type { Breaker } from '../domain/work/breaker.ts';
import type { ReadinessFacts } from '../domain/work/readiness-surroundings.ts';
import type { Task } from '../domain/work/task.ts';
import type { AgentCheck } from '../ports/missing-agent.ts';
import type { RepoSettings, Settings } from '../ports/settings.ts';
import { agentBreakers } from './queries/agent-breakers.ts';
import { convoyOfTasks } from './queries/convoy-members.ts';
import { convoysById } from './queries/convoy-list.ts';
import type { Tables } from './tables.ts';

/** Reads once what readiness needs to know about the world, for any number of tasks. */
export async function surroundingsOf(
  db: Kysely<Tables>,
  settings: Settings,
  tasks: readonly Task[],
  world: { now: number; agentMissing: AgentCheck; hostFull: string | null },
): Promise<(task: Task) => ReadinessFacts> {
  const convoyOf = await convoyOfTasks(
    db,
    tasks.map(({ id }) => id),
  );
  const convoys = new Map(
    (await convoysById(db, [...new Set(convoyOf.values())])).map((convoy) => [convoy.id, convoy]),
  );
  const running = await runningTasks(db);
  const parked = await parkedRepos(db);
  const breakers = await agentBreakers(db, settings.workspace.breaker, world.now);
  const count = (matches: (task: Running) => boolean): number => running.filter(matches).length;
  const agentFor = (task: { agent: string | null; repo: string | null }): string | null =>
    task.agent ?? (task.repo === null ? null : (settings.repos[task.repo]?.agent ?? null));

  return (task) => {
    const convoyId = convoyOf.get(task.id);
    const convoy = convoyId === undefined ? null : (convoys.get(convoyId) ?? null);
    const repo = task.repo === null ? undefined : settings.repos[task.repo];
    const agent = agentFor(task);
    return {
      now: world.now,
      convoy:
        convoy === null
          ? null
          : convoyFacts(
              convoy,
              count((other) => other.convoy === convoy.id),
            ),
      repo:
        task.repo === null
          ? null
          : {
              name: repoName(task.repo),
              configured: repo !== undefined,
              parked: parked.get(task.repo) ?? null,
              running: count((other) => other.repo === task.repo),
              capacity: null,
              gateBroken: null,
            },
      agent:
        agent === null
          ? null
          : agentFacts(agent, settings, world.agentMissing, breakers.get(agent), count),
      workspace: { running: running.length, capacity: settings.workspace.maxParallel },
      attempts: { budget: settings.workspace.attempts },
      afterFailure: afterFailure(convoy, repo),
      host: { full: world.hostFull },
      unreadable: [],
    };
  };
}

const convoyFacts = (
  { id, status, feeding, options, spending, branchPending }: Convoy,
  running: number,
): ReadinessFacts['convoy'] => ({
  id,
  status,
  feeding,
  running,
  maxParallel: options.maxParallel,
  budgetSpent: spending?.level === 'spent' ? spending.words : null,
  branchPending: branchPending ?? null,
});

const afterFailure = (convoy: Convoy | null, repo: RepoSettings | undefined): 'hold' | 'continue' =>
  convoy?.options.failurePolicy ?? repo?.failurePolicy ?? 'hold';

function agentFacts(
  name: string,
  settings: Settings,
  missing: AgentCheck,
  breaker: Breaker | undefined,
  count: (matches: (task: Running) => boolean) => number,
): ReadinessFacts['agent'] {
  const configured = settings.agents[name];
  const why = configured === undefined ? `no [agents.${name}] in config.toml` : missing(name);
  return {
    name,
    available: why === null,
    why,
    paused: breaker?.kind === 'open' ? breakerWords(breaker) : null,
    running: count((task) => (task.agent ?? settings.repos[task.repo ?? '']?.agent) === name),
    // After a pause one attempt shows whether it works again.
    capacity: breaker?.kind === 'trial' ? 1 : (configured?.maxParallel ?? null),
  };
}

const breakerWords = ({ failures, last, until }: Extract<Breaker, { kind: 'open' }>): string =>
  `it failed at once ${failures} times in a row (${last}); tried again at ${new Date(until).toISOString()}`;

type Running = { repo: string | null; convoy: string | null; agent: string | null };

/** Tasks that an attempt holds now. Epics in progress hold nothing. */
async function runningTasks(db: Kysely<Tables>): Promise<Running[]> {
  const rows = await db
    .selectFrom('task')
    .select(['id', 'repo', 'state'])
    .where('status', '=', 'in_progress')
    .where('type', '!=', 'epic')
    .execute();
  const convoys = await convoyOfTasks(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, repo, state }) => ({
    repo,
    convoy: convoys.get(id) ?? null,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the task aggregate writes this column
    agent: (JSON.parse(state) as Task).agent,
  }));
}

async function parkedRepos(db: Kysely<Tables>): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('repo_state')
    .select(['name', 'parked'])
    .where('parked', 'is not', null)
    .execute();
  return new Map(rows.map(({ name, parked }) => [name, parked ?? '']));
}
