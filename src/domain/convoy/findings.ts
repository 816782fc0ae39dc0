import type { Cycle } from '../graph/cycles.ts';
import type { Waves } from '../graph/waves.ts';
import type { WorkGraph } from '../graph/work-graph.ts';
import { isOrdering } from '../work/dependency.ts';
import type { RepoName, TaskId } from '../work/ids.ts';

/** One thing to know before a convoy starts, with what to do about it. */
export type Finding = {
  readonly code: string;
  readonly message: string;
  readonly ids: readonly string[];
  readonly fix: string;
};

/** Errors stop the stage, warnings need a word from a person, notices need nothing. */
export type Findings = {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly notices: readonly Finding[];
};

/** What stage must know about a repository besides its tasks. */
export type StagedRepo = {
  readonly name: RepoName;
  readonly configured: boolean;
  readonly parked: string | null;
  readonly gates: number;
  /** The agent that would work here; null when none is configured. */
  readonly agent: { readonly name: string; readonly missing: string | null } | null;
  readonly review: 'none' | 'agent' | 'human' | 'both';
  /** Whether work behind a failed task goes on. */
  readonly goesOn?: boolean;
  /** The branch the work is based on, and whether it really exists; null when that was not asked. */
  readonly base: { readonly branch: string; readonly exists: boolean } | null;
  /** Commits that the target has and the base has not. */
  readonly targetAhead: number;
};

export type StageFacts = {
  readonly graph: WorkGraph;
  /** Dispatchable tasks that are to be tracked. */
  readonly members: readonly TaskId[];
  readonly fromEpic: boolean;
  readonly cycles: readonly Cycle[];
  readonly waves: Waves;
  /** Tasks that the staged convoy tracks and that are not among the members now. */
  readonly leaving: readonly TaskId[];
  readonly repos: ReadonlyMap<string, StagedRepo>;
  /** How many agents can really run at once. */
  readonly capacity: number;
};

/** Everything worth saying about a batch before it starts. Pure, so that stage and tests agree. */
export function findings(facts: StageFacts): Findings {
  return {
    errors: [...cycleErrors(facts), ...repoErrors(facts), ...emptyErrors(facts)],
    warnings: [
      ...repoWarnings(facts),
      ...byBlockers(facts.waves.gated.map(({ id, gatedBy }) => ({ id, on: gatedBy }))).map(gated),
      ...byBlockers(facts.waves.outside.map(({ id, blockedBy }) => ({ id, on: blockedBy }))).map(
        outside,
      ),
    ],
    notices: [
      ...descoped(facts),
      ...orphans(facts),
      ...crossRepo(facts),
      ...tooWide(facts),
      ...[...facts.repos.values()].flatMap(repoNotices),
    ],
  };
}

const cycleErrors = ({ cycles }: StageFacts): Finding[] =>
  cycles.map(({ path, size }) => ({
    code: 'cycle',
    message:
      `These wait for each other: ${[...path, ...path.slice(0, 1)].join(' → ')}` +
      (size > path.length ? ` (${size} tasks are caught in it).` : '.'),
    ids: path,
    fix: `Take one edge away: convoy task dep rm ${path[0]} ${path[1] ?? path[0]}`,
  }));

/** One finding for each repository, however many tasks it concerns. */
function repoErrors({ graph, members, repos }: StageFacts): Finding[] {
  const homes = Map.groupBy(members, (id) => graph.tasks.get(id)?.repo ?? null);
  return [...homes].flatMap(([repo, ids]) => {
    if (repo === null)
      return {
        code: 'no_repo',
        message: `${named(ids)} ${ids.length === 1 ? 'belongs' : 'belong'} to no repository.`,
        ids,
        fix: `convoy task edit ${ids[0]} --repo <name>`,
      };
    if (repos.get(repo)?.configured !== false) return [];
    return {
      code: 'repo_unknown',
      message: `${named(ids)} ${ids.length === 1 ? 'belongs' : 'belong'} to ${repo}, which is not in config.toml.`,
      ids,
      fix: `convoy repo add <path> --name ${repo}`,
    };
  });
}

function emptyErrors({ waves, cycles, members }: StageFacts): Finding[] {
  if (cycles.length > 0) return [];
  const waiting = waves.waves.length + waves.gated.length + waves.outside.length;
  if (members.length > 0 && waiting > 0) return [];
  return [
    {
      code: 'nothing_dispatchable',
      message: 'There is no open task here that an agent could take.',
      ids: [],
      fix: 'Add tasks, or reopen finished ones: convoy task list --all',
    },
  ];
}

function repoWarnings({ repos, members, graph }: StageFacts): Finding[] {
  return [...repos.values()].flatMap((repo) => {
    const ids = members.filter((id) => graph.tasks.get(id)?.repo === repo.name);
    const say = (code: string, message: string, fix: string): Finding => ({
      code,
      message,
      ids,
      fix,
    });
    if (!repo.configured || ids.length === 0) return [];
    return [
      ...(repo.parked === null
        ? []
        : [
            say(
              'parked_repo',
              `${repo.name} is parked (${repo.parked}); ${count(ids)} will not start.`,
              `convoy repo unpark ${repo.name}`,
            ),
          ]),
      ...(repo.gates > 0
        ? []
        : [
            say(
              'no_gate',
              `${repo.name} has no gate: nothing would test the merged tree.`,
              `Add [[repos.${repo.name}.gates]] to config.toml, for example run = ["npm", "test"]`,
            ),
          ]),
      ...agentWarnings(repo, say),
      ...(repo.base === null || repo.base.exists
        ? []
        : [
            say(
              'missing_branch',
              `${repo.name} has no branch ${repo.base.branch} to base the work on.`,
              'Create it, or stage again with --create-branches',
            ),
          ]),
    ];
  });
}

function agentWarnings(
  repo: StagedRepo,
  say: (code: string, message: string, fix: string) => Finding,
): Finding[] {
  if (repo.agent === null)
    return [
      say(
        'no_agent',
        `${repo.name} has no agent.`,
        `Add one under [agents.<name>] and set it: convoy repo set ${repo.name} agent=<name>`,
      ),
    ];
  if (repo.agent.missing === null) return [];
  return [
    say(
      'agent_not_found',
      `The agent ${repo.agent.name} of ${repo.name} cannot run: ${repo.agent.missing}.`,
      `Install it, or change [agents.${repo.agent.name}] in config.toml`,
    ),
  ];
}

type Waiting = { readonly ids: readonly TaskId[]; readonly on: readonly TaskId[] };

/** Tasks that wait for the very same things are one finding; who waits behind them is none. */
function byBlockers(waiting: readonly { id: TaskId; on: readonly TaskId[] }[]): Waiting[] {
  const direct = waiting.filter(({ on }) => on.length > 0);
  return [...Map.groupBy(direct, ({ on }) => on.join(' ')).values()].map((group) => ({
    ids: group.map(({ id }) => id),
    on: group[0]?.on ?? [],
  }));
}

const gated = ({ ids, on }: Waiting): Finding => ({
  code: 'gated',
  message: `${named(ids)} ${ids.length === 1 ? 'waits' : 'wait'} for a decision: ${on.join(', ')}.`,
  ids: [...ids, ...on],
  fix: `Decide it: convoy task close ${on[0]} --reason "…"`,
});

const outside = ({ ids, on }: Waiting): Finding => ({
  code: 'blocked_outside',
  message: `${named(ids)} ${ids.length === 1 ? 'waits' : 'wait'} for ${on.join(', ')}, which is not part of this convoy.`,
  ids: [...ids, ...on],
  fix: `Stage them together, or take the edge away: convoy task dep rm ${ids[0]} ${on[0]}`,
});

const descoped = ({ leaving }: StageFacts): Finding[] =>
  leaving.length === 0
    ? []
    : [
        {
          code: 'descoped',
          message: `${named(leaving)} ${leaving.length === 1 ? 'is' : 'are'} no longer part of this convoy.`,
          ids: leaving,
          fix: `If that is not meant: convoy add <convoy> ${leaving[0]}`,
        },
      ];

/** Tasks of an ordered epic that nobody put in order; often a forgotten edge. */
function orphans({ graph, members, fromEpic, waves }: StageFacts): Finding[] {
  if (!fromEpic) return [];
  const gatedIds = new Set(waves.gated.map(({ id }) => id));
  const linked = (id: TaskId): boolean =>
    (graph.tasks.get(id)?.dependencies.some(({ kind }) => isOrdering(kind)) ?? false) ||
    (graph.dependents.get(id)?.some(({ dependency }) => isOrdering(dependency.kind)) ?? false);
  const loose = members.filter((id) => !linked(id) && !gatedIds.has(id));
  if (loose.length === 0 || loose.length === members.length) return [];
  const message =
    loose.length === 1
      ? `${loose[0]} has no order: nothing waits for it and it waits for nothing.`
      : `${loose.length} tasks have no order: nothing waits for them and they wait for nothing.`;
  const fix = `If that is not meant: convoy task dep add ${loose[0]} <depends-on>`;
  return [{ code: 'orphan', message, ids: loose, fix }];
}

function crossRepo({ graph, members }: StageFacts): Finding[] {
  const homes = Map.groupBy(members, (id) => graph.tasks.get(id)?.repo ?? null);
  homes.delete(null);
  const [primary, ...others] = [...homes].toSorted(([, a], [, b]) => b.length - a.length);
  if (primary === undefined) return [];
  return others.map(([repo, ids]) => ({
    code: 'cross_repo',
    message: `${count(ids)} in ${repo} while most are in ${primary[0]}; each repo lands by itself.`,
    ids,
    fix: 'Nothing to do if that is meant.',
  }));
}

function tooWide({ waves, capacity }: StageFacts): Finding[] {
  return waves.waves.flatMap((wave, place) =>
    wave.length <= capacity
      ? []
      : [
          {
            code: 'wide_wave',
            message: `Wave ${place + 1} has ${wave.length} tasks; ${capacity} can run at once.`,
            ids: [],
            fix: 'They will take turns; raise [workspace] max_parallel if the machine can do more.',
          },
        ],
  );
}

function repoNotices(repo: StagedRepo): Finding[] {
  if (!repo.configured) return [];
  return [
    ...(repo.review === 'none'
      ? [
          plain(
            'no_review',
            `Nobody reviews what lands in ${repo.name}.`,
            `Set review and reviewer of [repos.${repo.name}] for a review gate.`,
          ),
        ]
      : []),
    ...(repo.goesOn === true
      ? [
          plain(
            'failure_continues',
            `A failed task holds nothing in ${repo.name}: what waits for it runs without it.`,
            'failure_policy = "hold" keeps it waiting for a person.',
          ),
        ]
      : []),
    ...(repo.targetAhead > 0
      ? [
          plain(
            'target_ahead',
            `The target of ${repo.name} is ${repo.targetAhead} ${repo.targetAhead === 1 ? 'commit' : 'commits'} ahead of the base branch.`,
            'The queue merges on top of the target; conflicts show up there.',
          ),
        ]
      : []),
  ];
}

const plain = (code: string, message: string, fix: string): Finding => ({
  code,
  message,
  ids: [],
  fix,
});

const named = (ids: readonly TaskId[]): string => (ids.length === 1 ? `${ids[0]}` : count(ids));

const count = (ids: readonly unknown[]): string =>
  ids.length === 1 ? '1 task' : `${ids.length} tasks`;
