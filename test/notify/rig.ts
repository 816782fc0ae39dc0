import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { notifierFor } from '../../src/adapters/notifiers/notifier-for.ts';
import { openSettings } from '../../src/config/store.ts';
import type { ConvoyOptions } from '../../src/domain/convoy/convoy.ts';
import type { ConvoyEvent } from '../../src/domain/convoy/events.ts';
import { newConvoy } from '../../src/domain/convoy/new-convoy.ts';
import { changeId, convoyId, repoName, taskId } from '../../src/domain/work/ids.ts';
import { newTask } from '../../src/domain/work/new-task.ts';
import { notifying, type Notifying, type NotifyWorld } from '../../src/engine/notify.ts';
import { convoyAggregate } from '../../src/ledger/aggregates/convoy.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import { type Ledger, openLedger } from '../../src/ledger/open.ts';
import { outbox, type OutboxEntry } from '../../src/ledger/queries/outbox.ts';
import { ok } from '../../src/lib/result.ts';
import { placeOfTest } from '../postgres/ledger-of-test.ts';

export type NotifyRig = {
  readonly dir: string;
  /** Where the ledger is: a file or an address. */
  readonly place: string;
  readonly ledger: Ledger;
  readonly world: NotifyWorld;
  readonly notify: Notifying;
  /** Opens the same ledger once more, as another process would. */
  open(): Promise<Ledger>;
  /** A convoy with one merged and one skipped task, launched a minute ago. */
  convoy(id: string, options?: Partial<ConvoyOptions>): Promise<void>;
  happen(id: string, ...events: ConvoyEvent[]): Promise<void>;
  entries(): Promise<OutboxEntry[]>;
  /** What became of telling each reader: `cv-1-landed-0 me delivered`. */
  states(): Promise<string[]>;
  pass(ms: number): void;
};

export const LANDED: ConvoyEvent = { type: 'convoy-landed' };

/** The notify loop on a ledger of its own, with a clock that a test moves. */
export async function makeNotify(
  config: string,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<NotifyRig> {
  const dir = mkdtempSync(join(tmpdir(), 'convoy-notify-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'config.toml'), config);
  mkdirSync(join(dir, 'logs'));
  let now = Date.parse('2026-03-01T10:00:00Z');
  const place = await placeOfTest(dir);
  const open = async (): Promise<Ledger> => {
    const opened = await openLedger(place, () => now);
    onTestFinished(() => opened.close());
    return opened;
  };
  const ledger = await open();
  const world = worldIn(dir, ledger, env, () => now);
  const entries = (): Promise<OutboxEntry[]> => outbox(ledger.db, { limit: 1000 });
  return {
    dir,
    place,
    ledger,
    world,
    notify: notifying(world),
    open,
    entries,
    convoy: async (id, options = {}) => {
      await makeConvoy(ledger, id, options);
      now += 60_000;
    },
    happen: async (id, ...events) => {
      await ledger.write('test', async (tx) => ok(await tx.record(convoyAggregate, id, events)));
    },
    states: async () =>
      (await entries())
        .flatMap(({ id, deliveries }) =>
          deliveries.map(({ target, status }) => `${id} ${target} ${status}`),
        )
        .toSorted(),
    pass: (ms) => {
      now += ms;
    },
  };
}

let ids = 0;

function worldIn(
  dir: string,
  ledger: Ledger,
  env: Readonly<Record<string, string | undefined>>,
  now: () => number,
): NotifyWorld {
  const place = {
    cwd: dir,
    logFile: join(dir, 'logs', 'notifications.log'),
    env: { PATH: process.env['PATH'], ...env },
    now,
    say: () => {},
    timeoutMs: 2000,
  };
  return {
    ledger,
    settings: openSettings(join(dir, 'config.toml'), env),
    ids: { base36: (length) => (36 ** 8 + ids++).toString(36).padStart(length, '0') },
    now,
    chance: () => 0.5,
    log: () => {},
    notifier: (sink) => notifierFor(sink, place),
  };
}

export async function makeConvoy(
  ledger: Ledger,
  id: string,
  options: Partial<ConvoyOptions>,
): Promise<void> {
  const [merged, skipped] = [taskId(`${id}-a`), taskId(`${id}-b`)];
  await ledger.write('test', async (tx) => {
    for (const task of [merged, skipped])
      await tx.record(taskAggregate, task, [
        {
          type: 'task-created',
          task: newTask(task, { title: `Task ${task}`, repo: repoName('web') }, 'ada', tx.at),
        },
      ]);
    await tx.record(convoyAggregate, id, [
      {
        type: 'convoy-created',
        convoy: newConvoy(convoyId(id), {
          title: `Convoy ${id}`,
          status: 'staged_ready',
          epic: null,
          options,
          by: 'ada',
          at: tx.at,
          waveCount: 1,
        }),
      },
      { type: 'tasks-tracked', tasks: [merged, skipped] },
      { type: 'convoy-launched', forced: false },
    ]);
    const proof = { target: 'main', tree: 't', proof: 'ancestor', unverified: false };
    await tx.record(taskAggregate, merged, [
      {
        type: 'task-merged',
        change: changeId('ch-1'),
        merged: { ...proof, commit: 'abcdef0123456789' },
      },
    ]);
    await tx.record(taskAggregate, skipped, [{ type: 'task-skipped', reason: 'not needed' }]);
    return ok(null);
  });
}
