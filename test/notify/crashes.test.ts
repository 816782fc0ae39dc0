import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sent } from '../../src/domain/notify/delivery.ts';
import { notifying, type NotifyWorld } from '../../src/engine/notify.ts';
import type { Message, Notifier } from '../../src/ports/notifier.ts';
import { LANDED, makeNotify, type NotifyRig } from './rig.ts';

const CONFIG = `
[workspace]
notify = ["once", "again"]
[notify.once]
sink = "terminal"
[notify.again]
sink = "webhook"
url = "http://127.0.0.1:1/"
`;
const TARGETS = ['once', 'again'] as const;
type Target = (typeof TARGETS)[number];

/** The world outside, which outlives every crash: what reached whom, under which message. */
type Outside = Map<string, string[]>;

class Crash extends Error {}

/** A life of the engine that ends at its n-th step, before or after that step has its effect. */
type Life = { readonly step: number; readonly after: boolean; readonly restMs: number };

function mortal(
  world: NotifyWorld,
  outside: Outside,
  life: Life | null,
  answers: Sent[],
): NotifyWorld {
  let steps = 0;
  let isDead = false;
  const at = async <T>(effect: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Crash();
    const isLast = life !== null && steps++ === life.step;
    if (isLast) isDead = true;
    if (isLast && !life.after) throw new Crash();
    const value = await effect();
    if (isDead) throw new Crash();
    return value;
  };
  const { ledger } = world;
  return {
    ...world,
    ledger: { ...ledger, write: (actor, work) => at(() => ledger.write(actor, work)) },
    notifier: (sink) => {
      const target = sink.sink === 'terminal' ? 'once' : 'again';
      return recording(target, outside, at, answers);
    },
  };
}

function recording(
  target: Target,
  outside: Outside,
  at: (effect: () => Promise<Sent>) => Promise<Sent>,
  answers: Sent[],
): Notifier {
  const send = async ({ id, notifications }: Message): Promise<Sent> => {
    const answer = answers.shift() ?? { kind: 'delivered' };
    if (answer.kind === 'failed') return answer;
    for (const { id: notice } of notifications) {
      const key = `${notice} ${target}`;
      outside.set(key, [...(outside.get(key) ?? []), id]);
    }
    return answer;
  };
  return { repeatable: target === 'again', send: (message) => at(() => send(message)) };
}

/** One engine lives and dies, or three at once. */
async function live(
  rig: NotifyRig,
  outside: Outside,
  lives: readonly (Life | null)[],
  answers: Sent[],
): Promise<void> {
  const ends = await Promise.allSettled(
    lives.map((life) => notifying(mortal(rig.world, outside, life, answers)).pass()),
  );
  for (const end of ends)
    if (end.status === 'rejected' && !(end.reason instanceof Crash)) throw end.reason;
}

const anyLife = fc.record({
  step: fc.nat(9),
  after: fc.boolean(),
  restMs: fc.constantFrom(0, 1000, 31_000),
});
const anyAnswer = fc.constantFrom<Sent>(
  { kind: 'delivered' },
  { kind: 'failed', reason: 'HTTP 500' },
  { kind: 'unsure', reason: 'no answer' },
);

test('GT-176 through any crashes each notification reaches a reader at most once where a repeat would show, at least once where it would not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyLife, { minLength: 1, maxLength: 3 }), { maxLength: 20 }),
      fc.array(anyAnswer, { maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      async (generations, answers, convoys) => {
        const rig = await makeNotify(CONFIG);
        const outside: Outside = new Map();
        for (let each = 0; each < convoys; each++) {
          await rig.convoy(`cv-${each}`);
          await rig.happen(`cv-${each}`, LANDED);
        }
        for (const lives of generations) {
          await live(rig, outside, lives, answers);
          rig.pass(Math.max(...lives.map(({ restMs }) => restMs)));
        }
        for (let rest = 0; rest < 4; rest++) {
          rig.pass(3_600_000);
          await live(rig, outside, [null], answers.splice(0));
        }
        expect(await rig.entries()).toHaveLength(2 * convoys);
        expect(await wrongIn(rig, outside)).toEqual([]);
        await rig.ledger.close();
      },
    ),
    { numRuns: 30 },
  );
}, 120_000);

/** Deliveries of which the outbox says something else than the world outside has seen. */
async function wrongIn(rig: NotifyRig, outside: Outside): Promise<string[]> {
  const told = (await rig.entries()).flatMap(({ id, deliveries }) =>
    TARGETS.map((target) => {
      const status = deliveries.find((delivery) => delivery.target === target)?.status ?? 'missing';
      return { id, target, status, messages: outside.get(`${id} ${target}`) ?? [] };
    }),
  );
  return told
    .filter(({ target, messages, status }) =>
      target === 'again' ? !reached(messages, status) : !atMostOnce(messages, status),
    )
    .map(({ id, target, status, messages }) => `${id} ${target} ${status}: ${messages.join(' ')}`);
}

/** However often it was sent, it was the same message. */
const reached = (messages: readonly string[], status: string): boolean =>
  status === 'delivered' && new Set(messages).size === 1;

/** What is called delivered was, and what is not may have been. */
const atMostOnce = (messages: readonly string[], status: string): boolean =>
  status === 'delivered' ? messages.length === 1 : status === 'unconfirmed' && messages.length <= 1;

test('GT-176 a crash after each single step in turn, with nothing lost and nothing told twice', async () => {
  for (let step = 0; step < 8; step++)
    for (const after of [false, true]) {
      const rig = await makeNotify(CONFIG);
      const outside: Outside = new Map();
      await rig.convoy('cv-1');
      await live(rig, outside, [{ step, after, restMs: 0 }], []);
      rig.pass(31_000);
      await live(rig, outside, [null], []);
      await live(rig, outside, [null], []);
      expect(await rig.entries(), `step ${step} ${after}`).toHaveLength(1);
      expect(outside.get('cv-1-launched-0 again')?.length ?? 0).toBeGreaterThanOrEqual(1);
      expect(outside.get('cv-1-launched-0 once')?.length ?? 0).toBeLessThanOrEqual(1);
    }
});

test('an answer that comes after its sender was given up for lost is still believed', async () => {
  const rig = await makeNotify('[workspace]\nnotify = ["me"]\n[notify.me]\nsink = "terminal"\n');
  await rig.convoy('cv-1');
  const answer = Promise.withResolvers<Sent>();
  const begun = Promise.withResolvers<void>();
  const slow = notifying({
    ...rig.world,
    notifier: () => ({
      repeatable: false,
      send: () => {
        begun.resolve();
        return answer.promise;
      },
    }),
  }).pass();
  await begun.promise;
  rig.pass(31_000);
  await notifying(rig.world).pass();
  expect(await rig.states()).toEqual(['cv-1-launched-0 me unconfirmed']);
  answer.resolve({ kind: 'delivered' });
  await slow;
  expect(await rig.states()).toEqual(['cv-1-launched-0 me delivered']);
});

test('what another is sending at this moment is left to it', async () => {
  const rig = await makeNotify('[workspace]\nnotify = ["me"]\n[notify.me]\nsink = "terminal"\n');
  await rig.convoy('cv-1');
  const answer = Promise.withResolvers<Sent>();
  const begun = Promise.withResolvers<void>();
  let sends = 0;
  const world: NotifyWorld = {
    ...rig.world,
    notifier: () => ({
      repeatable: true,
      send: () => {
        sends += 1;
        begun.resolve();
        return answer.promise;
      },
    }),
  };
  const first = notifying(world).pass();
  await begun.promise;
  await notifying(world).pass();
  answer.resolve({ kind: 'delivered' });
  await first;
  expect(sends).toBe(1);
});
