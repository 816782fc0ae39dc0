import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    restoreMocks: true,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['src/**/*.test.ts', 'test/architecture.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/architecture.test.ts',
            'test/{ledger,postgres}/**',
            '**/fixtures/**',
            '**/node_modules/**',
          ],
          globalSetup: ['test/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // What must hold on both engines; the tests of the API run here once more, on Postgres.
        extends: true,
        test: {
          name: 'ledger',
          include: [
            'test/{ledger,postgres,api}/**/*.test.ts',
            'test/scenarios/{stage,task-graph,convoy-commands}*.test.ts',
          ],
          globalSetup: ['test/global-setup.ts', 'test/postgres/global-setup.ts'],
          env: { CONVOY_TEST_ENGINE: 'postgres' },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
