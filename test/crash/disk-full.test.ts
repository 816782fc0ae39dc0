import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open.ts';
import { isDiskFull } from '../../src/ledger/disk-full.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { type CliRig, makeCli, NODE, type Ran, ranOf } from '../cli/rig.ts';
import { epicOf, plant } from '../plant.ts';

const KIB = 1024;
const LONG = 'x'.repeat(60_000);

/** A command that may write no file larger than so many kibibytes, as on a full disk. */
function within(rig: CliRig, kib: number, args: readonly string[]): Promise<Ran> {
  const line = `ulimit -f ${kib}; exec "$@"`;
  const child = spawn(
    'bash',
    ['-c', line, 'bash', NODE, resolve('bin/convoy.js'), ...args, '--json'],
    { cwd: rig.repo, env: rig.env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return ranOf(child, args);
}

test('a command on a full disk says so, writes nothing half, and works when there is room again', async () => {
  const rig = await makeCli();
  await rig.task('before');
  const before = await rig.events();
  const wal = statSync(join(rig.repo, '.convoy/ledger.db-wal')).size;
  const room = Math.ceil(wal / KIB) + 8;
  const ran = await within(rig, room, ['task', 'create', 'too much', '--description', LONG]);
  expect([ran.code, ran.json.error.code]).toEqual([1, 'disk_full']);
  expect(ran.json.error.message).toContain('Nothing was half written');
  expect(await rig.events()).toBe(before);
  expect((await rig.ok(['ledger', 'verify'])).ok).toBe(true);
  await rig.ok(['task', 'create', 'too much', '--description', LONG]);
  expect(await rig.events()).toBe(before + 1);
});

test('a ledger that may not grow keeps what it has, and goes on when it may', async () => {
  const rig = await makeCli();
  const ledger = await openLedger(join(rig.repo, '.convoy/ledger.db'), Date.now);
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(ledger.db);
  const pages = rows[0]?.page_count ?? 0;
  await sql`pragma max_page_count = ${sql.lit(pages + 2)}`.execute(ledger.db);
  const failed = await plant(ledger, epicOf('web-big', 2000)).catch((error: unknown) => error);
  expect(isDiskFull(failed)).toBe(true);
  expect((await verifyLedger(ledger.db)).problems).toEqual([]);
  const { tasks } = await rig.ok(['task', 'list']);
  expect(tasks).toEqual([]);
  await sql`pragma max_page_count = 1000000`.execute(ledger.db);
  await plant(ledger, epicOf('web-big', 2000));
  expect((await verifyLedger(ledger.db)).problems).toEqual([]);
  await ledger.close();
});
