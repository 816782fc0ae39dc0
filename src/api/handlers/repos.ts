import type { Kysely } from 'kysely';
import type { Problem } from '../../contract/problem.ts';
import {
  addRepo,
  listRepos,
  parkRepo,
  removeRepo,
  type RepoJson,
  setRepo,
  showRepo,
  unparkRepo,
} from '../../contract/routes/repos.ts';
import { repoName } from '../../domain/work/ids.ts';
import { repoAggregate } from '../../ledger/aggregates/repo.ts';
import { openChanges } from '../../ledger/queries/changes.ts';
import { convoyOfTasks } from '../../ledger/queries/convoy-members.ts';
import { taskList } from '../../ledger/queries/task-list.ts';
import type { Tables } from '../../ledger/tables.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { RepoSettings, SettingsEdit } from '../../ports/settings.ts';
import { reads, type Services, writes } from '../context.ts';
import { defaultBranch, isRepository } from '../git-facts.ts';
import { conflict, invalid, notFound, refused, settingsProblem } from '../problems.ts';
import { defaultPrefix } from '../prefix.ts';
import { settingsOf } from '../repos.ts';
import { entryViews } from '../view/queue-view.ts';

type Db = Kysely<Tables>;

export const reposList = reads(listRepos, async (_, services) => {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const repos = [];
  for (const [name, repo] of Object.entries(settings.value.repos))
    repos.push(await repoView(services.ledger.db, name, repo));
  return ok({ repos });
});

export const repoShow = reads(showRepo, async ({ params }, services) => {
  const repo = repoNamed(services, params.name);
  if (!repo.ok) return repo;
  const { db } = services.ledger;
  const tasks = await taskList(db, { repo: params.name, status: ['in_progress'], limit: 1000 });
  const convoys = await convoyOfTasks(
    db,
    tasks.map(({ id }) => id),
  );
  return ok({
    repo: await repoView(db, params.name, repo.value),
    running: tasks.flatMap((task) =>
      task.status === 'in_progress' && task.attempt !== null
        ? {
            task: task.id,
            title: task.title,
            convoy: convoys.get(task.id) ?? null,
            worker: task.attempt,
          }
        : [],
    ),
    queue: await entryViews(
      db,
      (await openChanges(db)).filter(({ repo: name }) => name === params.name),
      services.now(),
    ),
  });
});

/** Registers a repository; the target is asked from git, never assumed. */
export const repoAdd = reads(addRepo, async ({ body }, services) => {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  if ((body.path === undefined) === (body.url === undefined))
    return invalid(
      'repo_source',
      'A repo is at a path or at a URL.',
      'convoy repo add <path>, or --url <url>.',
    );
  const where = body.path ?? body.url ?? '';
  const name = body.name ?? nameOf(where);
  if (settings.value.repos[name] !== undefined)
    return conflict(
      'repo_exists',
      `There is a repo ${name} already.`,
      'Choose another with --name.',
    );
  const target = await targetOf(body.path, body.target, services);
  if (!target.ok) return target;
  const set = (key: string, value: unknown): SettingsEdit => ({
    op: 'set',
    path: ['repos', name, key],
    value,
  });
  const edits = [
    body.path === undefined ? set('url', body.url) : set('path', body.path),
    set('prefix', body.prefix ?? defaultPrefix(name, takenPrefixes(settings.value.repos))),
    ...(target.value === null ? [] : [set('target', target.value)]),
    ...(body.agent === undefined ? [] : [set('agent', body.agent)]),
  ];
  return applied(services, name, edits);
});

async function targetOf(
  path: string | undefined,
  said: string | undefined,
  { repositories, workspace }: Services,
): Promise<Result<string | null, Problem>> {
  if (path === undefined) return ok(said ?? null);
  const full = path.startsWith('/') ? path : `${workspace.root}/${path}`;
  if (!(await isRepository(repositories, full)))
    return invalid(
      'not_a_repository',
      `${path} is not a git repository.`,
      'git init there first, or name another path.',
    );
  return ok(said ?? (await defaultBranch(repositories, full)));
}

const nameOf = (where: string): string =>
  (where.replace(/\/+$/, '').split('/').at(-1) ?? 'repo')
    .replace(/\.git$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '') || 'repo';

const takenPrefixes = (repos: Readonly<Record<string, RepoSettings>>): Set<string> =>
  new Set(Object.values(repos).map(({ prefix }) => prefix));

export const repoSet = reads(setRepo, async ({ params, body }, services) => {
  const repo = repoNamed(services, params.name);
  if (!repo.ok) return repo;
  const edits = Object.entries(body.set).map(([key, value]): SettingsEdit =>
    value === null
      ? { op: 'remove', path: ['repos', params.name, ...key.split('.')] }
      : { op: 'set', path: ['repos', params.name, ...key.split('.')], value },
  );
  return applied(services, params.name, edits);
});

async function applied(
  services: Services,
  name: string,
  edits: readonly SettingsEdit[],
): Promise<Result<{ repo: RepoJson }, Problem>> {
  const changed = services.settings.apply(edits);
  if (!changed.ok) return { ok: false, error: settingsProblem(changed.error) };
  const repo = changed.value.repos[name];
  if (repo === undefined) throw new Error(`${name} vanished while it was written`);
  return ok({ repo: await repoView(services.ledger.db, name, repo) });
}

export const repoPark = writes(parkRepo, async ({ params, body }, tx, services) => {
  const repo = repoNamed(services, params.name);
  if (!repo.ok) return repo;
  const name = repoName(params.name);
  const reason = body.reason ?? 'parked by hand';
  const stored = await tx.load(repoAggregate, name);
  if (stored?.state.parked !== reason)
    await tx.record(repoAggregate, name, [{ type: 'repo-parked', name, reason }]);
  return ok({ repo: await repoView(tx.db, name, repo.value) });
});

export const repoUnpark = writes(unparkRepo, async ({ params }, tx, services) => {
  const repo = repoNamed(services, params.name);
  if (!repo.ok) return repo;
  const name = repoName(params.name);
  const stored = await tx.load(repoAggregate, name);
  if ((stored?.state.parked ?? null) !== null)
    await tx.record(repoAggregate, name, [{ type: 'repo-unparked', name }]);
  return ok({ repo: await repoView(tx.db, name, repo.value) });
});

export const repoRemove = reads(removeRepo, async ({ params, query }, services) => {
  const repo = repoNamed(services, params.name);
  if (!repo.ok) return repo;
  const { tasks } = await repoView(services.ledger.db, params.name, repo.value);
  const live = tasks.open + tasks.running + tasks.submitted;
  if (live > 0 && query.force !== 'true')
    return refused(
      'repo_in_use',
      `${params.name} has ${live} unfinished tasks.`,
      'Finish or move them first; --force removes it all the same and leaves them without a repo.',
    );
  const changed = services.settings.apply([{ op: 'remove', path: ['repos', params.name] }]);
  return changed.ok
    ? ok({ removed: params.name })
    : { ok: false, error: settingsProblem(changed.error) };
});

function repoNamed(services: Services, name: string): Result<RepoSettings, Problem> {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const repo = settings.value.repos[name];
  if (repo !== undefined) return ok(repo);
  const names = Object.keys(settings.value.repos);
  return notFound(
    'repo_not_found',
    `There is no repo ${name} in this workspace.`,
    names.length === 0 ? 'convoy repo add <path> registers one.' : `There is ${names.join(', ')}.`,
  );
}

async function repoView(db: Db, name: string, repo: RepoSettings): Promise<RepoJson> {
  const state = await repoAggregate.load(db, name);
  const rows = await db
    .selectFrom('task')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .where('repo', '=', name)
    .where('type', '!=', 'epic')
    .groupBy('status')
    .execute();
  const count = (...statuses: string[]): number =>
    rows.filter(({ status }) => statuses.includes(status)).reduce((sum, row) => sum + row.count, 0);
  return {
    name,
    path: repo.source.kind === 'path' ? repo.source.path : null,
    url: repo.source.kind === 'url' ? repo.source.url : null,
    prefix: repo.prefix,
    target: repo.target,
    agent: repo.agent,
    merge_mode: repo.mergeMode,
    strategy: repo.strategy,
    delivery: repo.delivery,
    review: repo.review,
    slots: repo.slots,
    gates: repo.gates.map(({ name: gate, run }) => ({
      name: gate,
      run: run.kind === 'argv' ? [...run.argv] : [run.line],
      shell: run.kind === 'shell',
    })),
    parked: state?.state.parked ?? null,
    tasks: {
      open: count('open', 'blocked', 'deferred', 'pinned', 'failed'),
      running: count('in_progress'),
      submitted: count('submitted'),
      done: count('merged', 'closed'),
    },
  };
}
