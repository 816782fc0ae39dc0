import { expect, test } from 'vitest';
import { namingTheFile, ONCE, onEachEngine, onOneEngine } from './engines.ts';

test('what opens a ledger is tested on both engines, or says why not', () => {
  expect(onOneEngine()).toEqual(Object.keys(ONCE).toSorted());
});

test('what runs on both engines opens the ledger where its rig says it is', () => {
  expect(namingTheFile()).toEqual([]);
});

test('the rigs leave the engine to the run', () => {
  const folders = new Set(onEachEngine().map((file) => file.split('/')[1]));
  expect([...folders]).toEqual(
    expect.arrayContaining(['api', 'cli', 'crash', 'engine', 'identity', 'notify', 'queue']),
  );
});
