import { isInQueue } from '../domain/merge/change.ts';
import { type Moving, type Pair, pairKey, pairsOf } from '../domain/merge/forecast.ts';
import { liveAttempts } from '../ledger/queries/attempts.ts';
import { openChanges } from '../ledger/queries/changes.ts';
import type { Merges, Repository } from '../ports/repository.ts';
import type { Services } from './context.ts';

/** Two tasks whose work does not merge with each other as it stands. */
export type ForecastJson = {
  readonly repo: string;
  readonly tasks: [string, string];
  /** The attempts or changes that were held against each other. */
  readonly between: [string, string];
  readonly files: string[];
};

const MOST_PAIRS = 100;
const MOST_KEPT = 2000;

/** What merging two heads gave; heads name commits, so the answer never changes. */
const answers = new WeakMap<Merges, Map<string, readonly string[]>>();

/**
 * Looks whether work that is under way will collide: branches of running attempts as far as they
 * are committed, and changes in a queue, each two of one repo. A look and no more: nothing is
 * recorded, and git is asked only about heads that it was not asked about before.
 */
export async function forecast(
  services: Services,
  tasks: ReadonlySet<string>,
): Promise<ForecastJson[]> {
  const { db } = services.ledger;
  const settings = services.settings.read();
  const attempts = await liveAttempts(db);
  const changes = (await openChanges(db)).filter(
    ({ status, landing }) => isInQueue(status) && landing !== true,
  );
  if (!settings.ok || attempts.length + changes.length < 2) return [];
  const found: ForecastJson[] = [];
  const names = new Set([...attempts, ...changes].map(({ repo }) => repo as string));
  for (const name of names) {
    const source = settings.value.repos[name]?.source;
    const here = [...attempts, ...changes].filter(({ repo }) => repo === name);
    if (source?.kind !== 'path' || here.length < 2) continue;
    if (!here.some(({ task }) => tasks.has(task))) continue;
    const opened = await services.repositories.open(source.path);
    if (!opened.ok) continue;
    const heads = await headsOf(opened.value);
    const moving = here.flatMap((work): Moving[] => {
      const head = 'branch' in work ? heads.get(work.branch) : work.head;
      return head === undefined ? [] : [{ task: work.task, id: work.id, head, base: work.base }];
    });
    for (const pair of pairsOf(moving, tasks, MOST_PAIRS)) {
      const files = await collisionOf(opened.value.merges, pair);
      if (files.length > 0) found.push(entryOf(name, pair, files));
    }
  }
  return found;
}

async function headsOf({ branches }: Repository): Promise<Map<string, string>> {
  const listed = await branches.list();
  return new Map(listed.ok ? listed.value.map(({ name, commit }) => [name, commit]) : []);
}

const entryOf = (repo: string, { a, b }: Pair, files: readonly string[]): ForecastJson => ({
  repo,
  tasks: [a.task, b.task],
  between: [a.id, b.id],
  files: [...files],
});

/** The files in which two heads collide; none where git gives no answer. */
async function collisionOf(merges: Merges, pair: Pair): Promise<readonly string[]> {
  const known = answers.get(merges) ?? new Map<string, readonly string[]>();
  answers.set(merges, known);
  const key = pairKey(pair);
  const before = known.get(key);
  if (before !== undefined) return before;
  const merged = await merges.mergeTrees(pair.a.head, pair.b.head);
  if (!merged.ok && merged.error.kind !== 'conflict') return [];
  const files = merged.ok || merged.error.kind !== 'conflict' ? [] : merged.error.files;
  if (known.size >= MOST_KEPT) known.clear();
  known.set(key, files);
  return files;
}
