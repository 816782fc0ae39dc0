import { noticeLostRuns } from '../ledger/runs.ts';
import type { Services } from './context.ts';

/** Marks runs whose process died, and tidies up after them. */
export async function noticeLost(services: Pick<Services, 'ledger' | 'ship'>): Promise<void> {
  const { isGone, sweep } = await services.ship();
  const lost = await noticeLostRuns(services.ledger, isGone);
  if (lost.length > 0) await sweep();
}
