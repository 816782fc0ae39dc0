import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLedger } from '../../src/ledger/open.ts';
import { create } from './tasks.ts';

// Only SQLite has files.
const dirOfTest = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'convoy-mode-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
};
const modesIn = (dir: string): string[] =>
  readdirSync(dir)
    .toSorted()
    .map((name) => `${name} ${(statSync(join(dir, name)).mode & 0o777).toString(8)}`);

test('a new ledger is readable by its owner only, and so are the files beside it', async () => {
  const dir = dirOfTest();
  const ledger = await openLedger(join(dir, 'ledger.db'), () => 1);
  await create(ledger, 'a');
  expect(modesIn(dir)).toEqual(['ledger.db 600', 'ledger.db-shm 600', 'ledger.db-wal 600']);
  await ledger.close();
});

test('a ledger that its owner has opened up keeps its mode', async () => {
  const dir = dirOfTest();
  writeFileSync(join(dir, 'ledger.db'), '', { mode: 0o644 });
  const ledger = await openLedger(join(dir, 'ledger.db'), () => 1);
  await create(ledger, 'a');
  expect(modesIn(dir)[0]).toBe('ledger.db 644');
  await ledger.close();
});

test('a place where no ledger can be made says so', async () => {
  const dir = dirOfTest();
  await expect(openLedger(join(dir, 'none', 'ledger.db'), () => 1)).rejects.toThrow(
    'unable to open database file',
  );
});
