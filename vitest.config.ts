import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { OF_BOTH_ENGINES, onEachEngine } from './test/engines.ts';

/**
 * Tests with real processes share the machine with each other. One that passes only at its second try is
 * reported as retried: look for it in the report, it is a race in the test or in the product.
 */
const PATIENCE = { testTimeout: 120_000, hookTimeout: 120_000, retry: 1 };
const NEVER = ['**/fixtures/**', '**/node_modules/**'];
const ON_A_LEDGER = onEachEngine();

export default defineConfig({
  test: {
    restoreMocks: true,
    // Most of a test is waiting for processes; the default leaves a core of a small machine idle.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/architecture.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        // Git, agents, executors, scanners, rehearsals, models: no ledger, so one run says it all.
        // What opens a ledger and is here nevertheless is named in test/engines.ts, with the reason.
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/architecture.test.ts', OF_BOTH_ENGINES, ...ON_A_LEDGER, ...NEVER],
          globalSetup: ['test/global-setup.ts'],
          ...PATIENCE,
        },
      },
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ON_A_LEDGER,
          exclude: NEVER,
          globalSetup: ['test/global-setup.ts'],
          ...PATIENCE,
        },
      },
      {
        // The same files once more: each workspace has a database of its own on a real server.
        extends: true,
        test: {
          name: 'postgres',
          include: [OF_BOTH_ENGINES, ...ON_A_LEDGER],
          exclude: NEVER,
          globalSetup: ['test/global-setup.ts', 'test/postgres/global-setup.ts'],
          setupFiles: ['test/postgres/only-with-server.ts'],
          env: { CONVOY_TEST_ENGINE: 'postgres' },
          ...PATIENCE,
        },
      },
    ],
  },
});
