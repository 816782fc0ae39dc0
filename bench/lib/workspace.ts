import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/api/app.ts';
import type { Services } from '../../src/api/context.ts';
import type { Client } from '../../src/client/client.ts';
import { clientOver } from '../../src/client/http-client.ts';
import { environment } from '../../src/config/environment.ts';
import { localOperator } from '../../src/daemon/local-operator.ts';
import { openServices } from '../../src/daemon/services.ts';
import { repoName, taskId } from '../../src/domain/work/ids.ts';
import { newTask, type TaskDraft } from '../../src/domain/work/new-task.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import type { Tx } from '../../src/ledger/transaction.ts';

/** A workspace in a temporary directory with the API in this process. */
export async function benchWorkspace(): Promise<{
  dir: string;
  services: Services;
  client: Client;
  close: () => Promise<void>;
}> {
  const root = mkdtempSync(join(tmpdir(), 'convoy-bench-'));
  const dir = join(root, '.convoy');
  mkdirSync(dir);
  writeFileSync(join(dir, 'config.toml'), '[repos.main]\npath = "."\nprefix = "b"\n');
  const env = environment({});
  if (!env.ok) throw new Error(env.error.message);
  const services = await openServices({ root, dir }, process.env, env.value, {
    version: 'bench',
    instance: 'bench',
    engine: false,
    dashboard: null,
  });
  const identity = localOperator({ USER: 'bench' }, 'process');
  const identify = async () => ({ ok: true, value: { identity, csrf: null } }) as const;
  const app = await createApp(services, { identify, network: null });
  return {
    dir: root,
    services,
    client: clientOver('http://in-process', null, async (request) => app.fetch(request)),
    close: async () => {
      await services.ledger.close();
      rmSync(root, { recursive: true });
    },
  };
}

/** Writes a task straight through the ledger, as the API would after its checks. */
export async function writeTask(tx: Tx, id: string, draft: Partial<TaskDraft>): Promise<void> {
  const task = newTask(
    taskId(id),
    { title: `Task ${id}`, repo: repoName('main'), ...draft },
    'bench',
    tx.at,
  );
  await tx.record(taskAggregate, id, [{ type: 'task-created', task }]);
}
