import { expect, test } from 'vitest';
import { findCycles } from '../../src/domain/graph/cycles.ts';
import { workGraph } from '../../src/domain/graph/work-graph.ts';
import { readBeads, readBeadsLine } from '../../src/domain/interchange/beads-read.ts';
import { beadsLine } from '../../src/domain/interchange/beads-write.ts';
import { planImport } from '../../src/domain/interchange/import-plan.ts';
import { taskId } from '../../src/domain/work/ids.ts';

const row = (id: string, after: readonly string[]): object => ({
  id,
  title: id,
  updated_at: '2025-01-01T00:00:00Z',
  dependencies: after.map((on) => ({ issue_id: id, depends_on_id: on, type: 'blocks' })),
});

test('GT-180 100,000 rows with half as many cycles are planned in one go', () => {
  // Pairs that wait for each other, and one long chain through the first of each pair.
  const rows = Array.from({ length: 100_000 }, (_, n) => {
    const others = n % 2 === 0 ? [n + 1, n - 2] : [n - 1];
    return row(
      `t${n}`,
      others.filter((other) => other >= 0).map((other) => `t${other}`),
    );
  });
  const plan = planImport({
    rows: rows.map((each, index) => ({ line: index + 1, row: readBeads(each, 0) })),
    existing: new Map(),
    repoFor: () => null,
    newId: (_row, line) => taskId(`n${line}`),
  });
  expect(plan.create).toHaveLength(100_000);
  expect(plan.badEdges).toHaveLength(50_000);
  expect(findCycles(workGraph(plan.create))).toEqual([]);
});

test('GT-180 a ring of 50,000 loses one edge', () => {
  const size = 50_000;
  const rows = Array.from({ length: size }, (_, n) => row(`t${n}`, [`t${(n + 1) % size}`]));
  const plan = planImport({
    rows: rows.map((each, index) => ({ line: index + 1, row: readBeads(each, 0) })),
    existing: new Map(),
    repoFor: () => null,
    newId: (_row, line) => taskId(`n${line}`),
  });
  expect(plan.badEdges).toHaveLength(1);
  expect(findCycles(workGraph(plan.create))).toEqual([]);
});

test('GT-180 a line of 64 MB is read and written back', () => {
  const size = 64 * 1024 * 1024;
  const line = JSON.stringify({ id: 'a', title: 'x', description: '- '.repeat(size / 2) });
  const read = readBeadsLine(line, 0);
  if (read?.kind !== 'task') throw new Error(JSON.stringify(read));
  const written = beadsLine({ ...read.core, id: taskId('a'), ...read.state });
  expect(written === line).toBe(true);
});
