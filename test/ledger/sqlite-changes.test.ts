import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Pace, sqliteChanges } from '../../src/ledger/dialects/sqlite-changes.ts';
import { type HangBell, walBell } from '../../src/ledger/dialects/wal-bell.ts';
import type { Changes } from '../../src/ledger/changes.ts';
import { openLedger } from '../../src/ledger/open.ts';

let dir = '';
let file = '';

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'convoy-changes-'));
  file = join(dir, 'ledger.db');
  const ledger = await openLedger(file, Date.now);
  onTestFinished(() => ledger.close());
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Longer than any test: what is noticed then was not noticed by a look without a reason. */
const NEVER_MS = 3_600_000;
const BY_BELL: Pace = { oftenMs: 50, seldomMs: NEVER_MS, afterRingMs: 10_000 };

test('the bell tells of what another process commits; nobody needs to look without a reason', async () => {
  const writer = await another();
  const rests = restsOf(NEVER_MS);
  const wakes = counting(sqliteChanges(file, { ...BY_BELL, afterRingMs: 300 }));
  // Each when the looks that followed the last one have ended.
  for (const nth of [1, 2, 3]) {
    await vi.waitUntil(rests, { timeout: 20_000 });
    await writer('event');
    await vi.waitUntil(() => wakes.count === nth, { timeout: 20_000 });
  }
  expect(wakes.count).toBe(3);
});

test('what this process does quietly wakes nobody, and hides no event of another', async () => {
  const writer = await another();
  const changes = sqliteChanges(file, { ...BY_BELL, afterRingMs: 300 });
  const rests = restsOf(NEVER_MS);
  const wakes = counting(changes);
  const mine = new DatabaseSync(file);
  onTestFinished(() => mine.close());
  const renew = async (): Promise<void> => {
    mine.exec("insert or replace into lease values ('engine', 'me', 1, 1)");
  };
  for (let each = 0; each < 3; each++) {
    await vi.waitUntil(rests, { timeout: 20_000 });
    await changes.quietly(renew);
  }
  await vi.waitUntil(rests, { timeout: 20_000 });
  expect(wakes.count).toBe(0);
  await changes.quietly(async () => {
    await writer('event');
    await renew();
  });
  await vi.waitUntil(() => wakes.count > 0, { timeout: 20_000 });
  await writer('lease');
  await vi.waitUntil(() => wakes.count > 1, { timeout: 20_000 });
});

test('where no bell can be hung, looking often does', async () => {
  const writer = await another();
  const wakes = counting(sqliteChanges(file, { ...BY_BELL, oftenMs: 5 }, () => null));
  await writer('event');
  await vi.waitUntil(() => wakes.count > 0, { timeout: 20_000 });
  expect(wakes.count).toBe(1);
});

test('a bell that stays silent through a change is not trusted, and is again once it rings', async () => {
  const writer = await another();
  const bell = mute();
  const pace: Pace = { oftenMs: 5, seldomMs: 200, afterRingMs: 50 };
  const [rests, looksOften] = [restsOf(200), restsOf(5)];
  const wakes = counting(sqliteChanges(file, pace, bell.hang));
  await vi.waitUntil(rests);
  await writer('event');
  await vi.waitUntil(() => wakes.count === 1, { timeout: 20_000 });
  await vi.waitUntil(looksOften);
  bell.ring();
  await vi.waitUntil(rests);
  expect(wakes.count).toBe(1);
});

test('a bell that breaks is done without', async () => {
  const writer = await another();
  const bell = mute();
  const wakes = counting(sqliteChanges(file, { ...BY_BELL, oftenMs: 5 }, bell.hang));
  bell.break();
  await writer('event');
  await vi.waitUntil(() => wakes.count === 1, { timeout: 20_000 });
  expect(bell.isClosed()).toBe(true);
});

test('a log that is not there has no bell', () => {
  const ring = vi.fn<() => void>();
  expect(walBell(join(dir, 'nothing.db'), ring, ring)).toBeNull();
});

/** Whether the latest wait of this process was that long. */
function restsOf(ms: number): () => boolean {
  const waits = vi.spyOn(globalThis, 'setTimeout');
  return () => waits.mock.calls.at(-1)?.[1] === ms;
}

/** How often somebody who waits again and again was woken. */
function counting(changes: Changes): { readonly count: number } {
  const over = new AbortController();
  const wakes = { count: 0 };
  const waiting = (async () => {
    for (;;) {
      await changes.next(over.signal);
      if (over.signal.aborted) return;
      wakes.count += 1;
    }
  })();
  onTestFinished(async () => {
    over.abort();
    await waiting;
    await changes.close();
  });
  return wakes;
}

function mute(): { hang: HangBell; ring: () => void; break: () => void; isClosed: () => boolean } {
  const said = { ring: (): void => {}, broken: (): void => {}, closed: false };
  return {
    hang: (_, ring, broken) => {
      Object.assign(said, { ring, broken });
      return { close: () => (said.closed = true) };
    },
    ring: () => said.ring(),
    break: () => said.broken(),
    isClosed: () => said.closed,
  };
}

/** Another process that commits what it is told to, and says when it has. */
async function another(): Promise<(what: 'event' | 'lease') => Promise<void>> {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--no-warnings', join(import.meta.dirname, 'commit-child.ts'), file],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return async (what) => {
    child.stdin?.write(`${what}\n`);
    await lines.next();
  };
}
