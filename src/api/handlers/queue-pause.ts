import { type QueueStateJson, pauseQueue, resumeQueue } from '../../contract/routes/queue.ts';
import type { Problem } from '../../contract/problem.ts';
import { EVERY_TARGET, type Queue, type QueueEvent, queueId } from '../../domain/merge/queue.ts';
import { repoName } from '../../domain/work/ids.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { repoAggregate } from '../../ledger/aggregates/repo.ts';
import { allQueues } from '../../ledger/queries/changes.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { ok, type Result } from '../../lib/result.ts';
import { type Services, writes } from '../context.ts';
import { notFound } from '../problems.ts';
import { settingsOf } from '../repos.ts';
import { stateView } from '../view/queue-view.ts';

type Which = { repo?: string | undefined; target?: string | undefined };

/** Without a target every queue of the repo stands still, those that open later too. */
export const queuePause = writes(pauseQueue, async ({ body }, tx, services) => {
  const repos = reposMeant(services, body);
  if (!repos.ok) return repos;
  const reason = body.reason ?? 'paused by hand';
  const queues: QueueStateJson[] = [];
  for (const repo of repos.value) {
    const target = body.target ?? EVERY_TARGET;
    const events: QueueEvent[] = [{ type: 'queue-paused', by: 'person', reason }];
    queues.push(stateView(await recordOn(tx, repo, target, events)));
  }
  return ok({ queues });
});

/** Also after a broken gate: whoever resumes says that it is mended. */
export const queueResume = writes(resumeQueue, async ({ body }, tx, services) => {
  const repos = reposMeant(services, body);
  if (!repos.ok) return repos;
  const paused = (await allQueues(tx.db)).filter(
    (queue) =>
      (queue.paused !== null || queue.held !== null) &&
      (repos.value.includes(queue.repo) || body.repo === undefined) &&
      (body.target === undefined || queue.target === body.target),
  );
  const queues: QueueStateJson[] = [];
  for (const { repo, target, paused: pause, held } of paused) {
    const events: QueueEvent[] = [
      ...(pause === null ? [] : [{ type: 'queue-resumed' } as const]),
      ...(held === null ? [] : [{ type: 'queue-released', by: 'person' } as const]),
    ];
    queues.push(stateView(await recordOn(tx, repo, target, events)));
  }
  const origins = body.target === undefined ? await releaseOrigins(tx, repos.value) : [];
  return ok({ queues, origins });
});

/** Whoever resumes also says that a remote is mended, and that branches may be pushed to where it is now. */
async function releaseOrigins(tx: Tx, repos: readonly string[]): Promise<string[]> {
  const released: string[] = [];
  for (const repo of repos) {
    const trouble = (await tx.load(repoAggregate, repo))?.state.origin?.trouble ?? null;
    if (trouble === null) continue;
    const type = trouble.held ? 'origin-released' : 'origin-recovered';
    await tx.record(repoAggregate, repo, [{ type, name: repoName(repo) }]);
    released.push(repo);
  }
  return released;
}

function reposMeant(services: Services, { repo }: Which): Result<string[], Problem> {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const names = Object.keys(settings.value.repos);
  if (repo === undefined) return ok(names);
  if (names.includes(repo)) return ok([repo]);
  return notFound(
    'repo_not_found',
    `There is no repo ${repo} in this workspace.`,
    names.length === 0 ? 'convoy repo add <path> registers one.' : `There is ${names.join(', ')}.`,
  );
}

async function recordOn(
  tx: Tx,
  repo: string,
  target: string,
  events: readonly QueueEvent[],
): Promise<Queue> {
  const id = queueId(repo, target);
  const known = await tx.load(queueAggregate, id);
  return tx.record(queueAggregate, id, [
    ...(known === null
      ? [{ type: 'queue-opened', repo: repoName(repo), target } satisfies QueueEvent]
      : []),
    ...events,
  ]);
}
