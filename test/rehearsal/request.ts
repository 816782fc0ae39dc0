import { resolve } from 'node:path';
import type {
  Isolation,
  RehearsalEvent,
  RehearsalLane,
  RehearsalRequest,
} from '../../src/ports/rehearsal.ts';

const SERVICES = resolve(import.meta.dirname, '../fixtures/services');

export type Overrides = Partial<Omit<RehearsalRequest, 'lane'>> & {
  readonly lane?: Partial<RehearsalLane>;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RehearsalEvent) => void;
  readonly path?: string;
  readonly base?: string;
  readonly isolation?: Isolation;
};

/** A request for a service of test/fixtures/services (or another root) with a short load. */
export function requestFor(service: string, overrides: Overrides = {}): RehearsalRequest {
  return {
    root: resolve(SERVICES, service),
    env: {},
    // Generous, because other tests share the processors.
    thresholds: { maxErrorRate: 0.05, maxP99Ms: 2_000 },
    load: { rate: 120, seconds: 0.5, warmupSeconds: 0.1 },
    probePaths: [],
    previous: null,
    trust: { repository: true },
    timeouts: { readyMs: 5_000, graceMs: 1_000 },
    ...overrides,
    lane: {
      name: 'web',
      path: '.',
      kind: 'backend',
      ecosystem: 'node',
      install: null,
      build: null,
      start: 'node app.js',
      port: null,
      healthPath: null,
      datastores: [],
      ...overrides.lane,
    },
  };
}
