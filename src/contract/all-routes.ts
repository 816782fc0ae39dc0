import type { AnyRoute } from './route.ts';
import * as approvals from './routes/approvals.ts';
import * as convoys from './routes/convoys.ts';
import * as interchange from './routes/interchange.ts';
import * as notifications from './routes/notifications.ts';
import * as queue from './routes/queue.ts';
import * as reviews from './routes/reviews.ts';
import * as repos from './routes/repos.ts';
import * as ship from './routes/ship.ts';
import * as system from './routes/system.ts';
import * as tasks from './routes/tasks.ts';
import * as worker from './routes/worker.ts';
import * as tokens from './routes/tokens.ts';

/** Every route there is, for the server's completeness check and the reference page. */
export const allRoutes: readonly AnyRoute[] = [
  tasks,
  convoys,
  queue,
  reviews,
  repos,
  interchange,
  notifications,
  system,
  approvals,
  tokens,
  worker,
  ship,
].flatMap((module) => Object.values(module).filter(isRoute));

function isRoute(value: unknown): value is AnyRoute {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}
