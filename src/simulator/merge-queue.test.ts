import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planQueue } from '../domain/merge/plan.ts';
import { type ChangeId, changeId } from '../domain/work/ids.ts';
import { type Disturbance, runQueue, type QueueRun, type QueueRunOptions } from './merge-queue.ts';
import { type MergeWorld, mulberry32, type Pair, type SimulatedChange } from './merge-world.ts';

const worlds = (make: { pairs: boolean; needs: boolean }): fc.Arbitrary<MergeWorld> =>
  fc
    .record({
      kinds: fc.array(
        fc.record({
          bad: fc.boolean().chain((odd) => (odd ? fc.boolean() : fc.constant(false))),
          conflicting: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
          needs: fc.array(fc.nat(30), { maxLength: make.needs ? 2 : 0 }),
          wait: fc.constantFrom(0, 0, 0, 30, 250),
        }),
        { minLength: 1, maxLength: 18 },
      ),
      badPairs: fc.array(fc.tuple(fc.nat(30), fc.nat(30)), { maxLength: make.pairs ? 4 : 0 }),
      conflicts: fc.array(fc.tuple(fc.nat(30), fc.nat(30)), { maxLength: make.pairs ? 4 : 0 }),
      seed: fc.nat(),
      spread: fc.constantFrom(0, 0.2, 0.9),
    })
    .map(({ kinds, badPairs, conflicts, seed, spread }) => {
      let at = 0;
      const changes = kinds.map((kind, n): SimulatedChange => {
        at += kind.wait;
        const needs = kind.needs.filter((need) => need < n).map(named);
        return { id: named(n), bad: kind.bad, conflicting: kind.conflicting, needs, at };
      });
      const known = (pairs: [number, number][]): Pair[] =>
        pairs
          .filter(([a, b]) => a !== b && a < kinds.length && b < kinds.length)
          .map(([a, b]): Pair => [named(a), named(b)]);
      return {
        changes,
        badPairs: known(badPairs),
        conflicts: known(conflicts),
        gate: (run: number) => 100 * (1 + spread * (2 * mulberry32(seed + run * 7919)() - 1)),
      };
    });

const named = (n: number): ChangeId => changeId(`c${String(n).padStart(2, '0')}`);
const anySlots = fc.integer({ min: 1, max: 8 });
const anyShare = fc.constantFrom(0, 0.02, 0.1, 0.3, 0.9);
const anyWorld = worlds({ pairs: true, needs: true });
const anyDisturbances = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 30 }),
      fc.oneof<fc.Arbitrary<Disturbance>[]>(
        fc.constant({ kind: 'restart' }),
        fc.constant({ kind: 'outside-commit' }),
        fc.nat(17).map((n) => ({ kind: 'withdraw', id: named(n) })),
      ),
    ),
    { maxLength: 5 },
  )
  .map((pairs) => new Map(pairs));

const run = (world: MergeWorld, options: Partial<QueueRunOptions>): QueueRun =>
  runQueue(world, { planner: planQueue, slots: 4, ...options });

/** Property over worlds, slots, beliefs about badness, and restarts at any event. */
const always = (check: (world: MergeWorld, result: QueueRun, slots: number) => void): void =>
  fc.assert(
    fc.property(
      anyWorld,
      anySlots,
      anyShare,
      anyDisturbances,
      (world, slots, redShare, disturbances) => {
        check(world, run(world, { slots, redShare, disturbances }), slots);
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 400) },
  );

describe('whatever the world and wherever it restarts', () => {
  test('every change ends merged, red, conflicted or withdrawn, and only once', () => {
    always((world, result) => {
      expect(result.lost).toEqual([]);
      const ends = [...result.merged, ...result.red, ...result.conflicted, ...result.withdrawn];
      expect(ends.toSorted()).toEqual(world.changes.map((change) => change.id));
    });
  });

  test('nothing lands on a tree that is red', () => {
    always((_world, result) => expect(result.redMerges).toBe(0));
  });

  test('a change lands after everything it needs', () => {
    always((world, { merged }) => {
      for (const { id, needs } of world.changes.filter((change) => merged.includes(change.id)))
        for (const need of needs) {
          expect(merged).toContain(need);
          expect(merged.indexOf(need)).toBeLessThan(merged.indexOf(id));
        }
    });
  });

  test('only what is red or conflicting somewhere is ever turned away', () => {
    always((world, result) => {
      const guilty = new Set(world.changes.filter(({ bad }) => bad).map(({ id }) => id));
      for (const id of result.red)
        expect(guilty.has(id) || world.badPairs.flat().includes(id)).toBe(true);
      for (const id of result.conflicted)
        expect(
          world.changes.some((change) => change.id === id && change.conflicting) ||
            world.conflicts.flat().includes(id),
        ).toBe(true);
    });
  });

  test('a change that is good with all others lands', () => {
    always((world, { merged, withdrawn }) => {
      for (const id of harmless(world, withdrawn)) expect(merged).toContain(id);
    });
  });

  test('no more gates run at once than there are slots', () => {
    always((_world, result, slots) => expect(result.mostRunning).toBeLessThanOrEqual(slots));
  });

  test('no tree is given to the gate twice', () => {
    always((_world, result) => expect(result.repeatedTrees).toBe(0));
  });
});
function harmless(world: MergeWorld, withdrawn: readonly ChangeId[]): ChangeId[] {
  const paired = new Set([...world.badPairs.flat(), ...world.conflicts.flat()]);
  return world.changes.reduce<ChangeId[]>((kept, { id, bad, conflicting, needs }) => {
    const clean = !bad && !conflicting && !paired.has(id) && !withdrawn.includes(id);
    return clean && needs.every((need) => kept.includes(need)) ? [...kept, id] : kept;
  }, []);
}
