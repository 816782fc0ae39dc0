import type { ReleaseStats } from '../../domain/ship/rehearsal/verdict.ts';
import { runList } from '../../ledger/queries/runs.ts';
import type { ShipWorld } from './world.ts';

const MOST_RUNS = 30;

export type Previous = { readonly run: string; readonly stats: ReleaseStats };

/** What the last run that succeeded showed about a lane of the same repository. */
export async function previousRelease(
  { ledger, plans }: Pick<ShipWorld, 'ledger' | 'plans'>,
  repo: string,
  lane: string,
): Promise<Previous | null> {
  for (const run of await runList(ledger.db, { status: ['succeeded'], limit: MOST_RUNS })) {
    const rehearsed = run.stages.find(
      ({ stage, lane: of, status }) =>
        stage === 'rehearse' && of === lane && status === 'succeeded',
    );
    const stats = statsIn(rehearsed?.evidence['stats']);
    if (stats === null) continue;
    const plan = await plans.read(run.plan);
    if (plan.ok && plan.value.repo.path === repo) return { run: run.id, stats };
  }
  return null;
}

/** Evidence is free in its form; only what has all the figures can be compared with. */
function statsIn(value: unknown): ReleaseStats | null {
  if (typeof value !== 'object' || value === null) return null;
  const number = (name: string): number | null => {
    const found: unknown = Reflect.get(value, name);
    return typeof found === 'number' ? found : null;
  };
  const [p50, p95, p99] = [number('p50'), number('p95'), number('p99')];
  const [errorRate, samples] = [number('errorRate'), number('samples')];
  if (p50 === null || p95 === null || p99 === null || errorRate === null || samples === null)
    return null;
  return { p50, p95, p99, errorRate, samples, rssBytes: number('rssBytes') };
}
