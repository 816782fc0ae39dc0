import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { executorContract } from './executor-contract.ts';

describe('the local executor', () => {
  executorContract(async () => {
    const workplace = await mkdtemp(join(tmpdir(), 'convoy-executor-'));
    return {
      executor: localExecutor({ directory: join(workplace, 'runs'), node: process.execPath }),
      workplace,
      close: () => rm(workplace, { recursive: true }),
    };
  });
});
