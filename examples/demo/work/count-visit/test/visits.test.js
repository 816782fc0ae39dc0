import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../src/store/store.js';

test('a hundred visits at the same time count as a hundred', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const stores = [0, 1].map(() => openStore(join(folder, 'links.db')));
  stores[0].save('abc1234', 'https://example.org/');
  await Promise.all(
    Array.from({ length: 100 }, async (_, visit) => stores[visit % 2].countVisit('abc1234')),
  );
  assert.equal(stores[1].find('abc1234').hits, 100);
  for (const store of stores) store.close();
});
