import { beforeEach } from 'vitest';
import { hasPostgres } from './database.ts';

/** These bring both engines along, and say themselves what they skip. */
const OF_BOTH = /^test\/(ledger|postgres)\//;

// Without a server the project would test SQLite a second time; skipped tests say why.
if (!hasPostgres())
  beforeEach(({ task, skip }) => {
    skip(!OF_BOTH.test(task.file.name), 'this machine has no Postgres server');
  });
