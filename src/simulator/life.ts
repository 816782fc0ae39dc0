import { changesFrom } from '../ledger/changes.ts';
import type { Ledger } from '../ledger/open.ts';
import type { Executor } from '../ports/executor.ts';
import type { Forge } from '../ports/forge.ts';
import type { Repository } from '../ports/repository.ts';
import type { Timers } from '../ports/timers.ts';
import type { VirtualTime } from './virtual-time.ts';

/**
 * One process that runs the engine. Once it is dead nothing it waited for comes back and nothing it
 * asks for happens; what it had set going outside goes on without it. Frozen, it does so later.
 */
export type Life = {
  readonly isDead: () => boolean;
  die(): void;
  freeze(): void;
  thaw(): void;
  readonly timers: Timers;
  ledger(inner: Ledger): Ledger;
  repository(inner: Repository): Repository;
  executor(inner: Executor): Executor;
  forge(inner: Forge): Forge;
};

const LONGEST_CALL_MS = 30;

// oxlint-disable-next-line max-lines-per-function -- one method for each port
export function newLife(time: VirtualTime, chance: () => number): Life {
  const state: { dead: boolean; ice: PromiseWithResolvers<void> | null } = {
    dead: false,
    ice: null,
  };
  /** Comes back when this process runs; never to the dead. */
  const turn = async (): Promise<void> => {
    while (state.ice !== null) await state.ice.promise;
    if (state.dead) await new Promise<never>(() => {});
  };
  const slow = (): Promise<void> => time.sleep(chance() * LONGEST_CALL_MS);
  const mortal =
    <Ask extends readonly unknown[], Answer>(ask: (...given: Ask) => Promise<Answer>) =>
    async (...given: Ask): Promise<Answer> => {
      await turn();
      // Some of what is asked happens also when the asker dies before it is through.
      const survives = chance() < 0.5;
      await slow();
      if (!survives) await turn();
      const answer = await ask(...given);
      await slow();
      await turn();
      return answer;
    };
  return {
    isDead: () => state.dead,
    die() {
      state.dead = true;
      state.ice?.resolve();
      state.ice = null;
    },
    freeze() {
      state.ice ??= Promise.withResolvers();
    },
    thaw() {
      state.ice?.resolve();
      state.ice = null;
    },
    timers: {
      monotonic: () => time.monotonic(),
      after: (ms, run) => time.after(ms, () => void turn().then(run)),
    },
    ledger: (inner) => mortalLedger(inner, turn, () => state.dead),
    repository: (inner) => ({
      facts: everyMethod(inner.facts, mortal),
      branches: everyMethod(inner.branches, mortal),
      worktrees: everyMethod(inner.worktrees, mortal),
      merges: everyMethod(inner.merges, mortal),
      landing: everyMethod(inner.landing, mortal),
      remote: everyMethod(inner.remote, mortal),
    }),
    forge: ({ name, ...inner }) => ({ name, ...everyMethod(inner, mortal) }),
    executor: (inner) => ({
      start: mortal((spec) => inner.start(spec)),
      find: mortal((id) => inner.find(id)),
      stop: mortal((id, options) => inner.stop(id, options)),
      tail: mortal((id, from, limit) => inner.tail(id, from, limit)),
      async *follow(id, from, signal) {
        for await (const chunk of inner.follow(id, from, signal)) {
          await turn();
          yield chunk;
        }
        await turn();
      },
      async exit(id, signal) {
        const end = await inner.exit(id, signal).catch((error: unknown) => ({ error }));
        await turn();
        if ('error' in end) throw end.error;
        return end;
      },
    }),
  };
}

type Mortal = <Ask extends readonly unknown[], Answer>(
  ask: (...given: Ask) => Promise<Answer>,
) => (...given: Ask) => Promise<Answer>;

function everyMethod<Port extends object>(port: Port, mortal: Mortal): Port {
  const entries = Object.entries(port).map(([name, method]) => [
    name,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these ports hold nothing but such methods
    mortal((...given: unknown[]) => (method as (...all: unknown[]) => Promise<unknown>)(...given)),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names with the same shapes
  return Object.fromEntries(entries) as Port;
}

/** A transaction is whole or not at all, also when its process dies in the middle of it. */
function mortalLedger(inner: Ledger, turn: () => Promise<void>, isDead: () => boolean): Ledger {
  return {
    ...inner,
    changes: { ...inner.changes, next: (signal) => inner.changes.next(signal).then(turn) },
    async write(actor, work) {
      await turn();
      try {
        return await inner.write(actor, async (tx) => {
          const result = await work(tx);
          if (isDead()) throw new Error('the process died inside a transaction');
          return result;
        });
      } finally {
        await turn();
      }
    },
  };
}

/** The ledger of a simulation: changes are told inside this process, by nothing but commits. */
export function telling(inner: Ledger): Ledger {
  const changes = changesFrom(() => () => {});
  return {
    ...inner,
    changes,
    async write(actor, work) {
      let recorded = 0;
      const result = await inner.write(actor, async (tx) => {
        const said = await work(tx);
        recorded = tx.recorded;
        return said;
      });
      if (result.ok && recorded > 0) changes.poke();
      return result;
    },
    close: async () => {
      await changes.close();
      await inner.close();
    },
  };
}
