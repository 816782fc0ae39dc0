import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../src/store/database.js';

test('opening twice keeps the data', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'links.db');
  const first = openDatabase(file);
  first.exec("insert into links (code, url, created_at) values ('a', 'https://example.org', 0)");
  first.close();
  const second = openDatabase(file);
  assert.equal(second.prepare('select count(*) as n from links').get().n, 1);
  second.close();
});

test('a missing folder is an error that names it', () => {
  assert.throws(() => openDatabase('/no/such/folder/links.db'), /\/no\/such\/folder/);
});
