import type { Convoy } from '../../domain/convoy/convoy.ts';
import { pendingConvoys, reposWithUnsent } from '../../ledger/queries/branches.ts';
import { type Loop, startLoop } from '../loop.ts';
import type { World } from '../world.ts';
import { forgetTroubles } from './forget-troubles.ts';
import { isDue, noRemotes, type Publishing, type RemoteMemory } from './publishing.ts';
import { dueBranches, pushBranches } from './push-branches.ts';
import { settleBranches } from './settle-branches.ts';
import { sweepBranches } from './sweep-branches.ts';

export type Publisher = Loop & {
  /** A last look before the engine goes: what can be sent soon is sent, the rest is left to the next one. */
  finish(): Promise<void>;
};

const AFTER_MS = 20;
const FINISH_MS = 5000;

/**
 * The loop that speaks to remotes about Convoy's own branches. Everything that may take its time runs
 * beside it, one exchange for each repo and each convoy, so that nobody waits for a slow remote.
 */
export function startPublisher(world: World, everyMs: number): Publisher {
  const memory = noRemotes();
  const jobs = newJobs(world, memory, () => loop.wake());
  const placeNow = (): Publishing | null => {
    const settings = world.settings.read();
    return settings.ok ? { world, settings: settings.value, memory } : null;
  };
  const pass = async (): Promise<number | null> => {
    const place = placeNow();
    if (place === null) return null;
    await sweepBranches(place);
    await forgetTroubles(place);
    await settleAll(place, jobs);
    await pushAll(place, jobs);
    return nextDue(place);
  };
  const loop = startLoop('branches', pass, {
    everyMs,
    afterMs: AFTER_MS,
    timers: world.timers,
    log: (line) => world.log(line),
  });
  return {
    ...loop,
    async finish() {
      const place = placeNow();
      if (place !== null) {
        await sweepBranches(place);
        await pushAll(place, jobs);
      }
      await within(world, FINISH_MS, jobs.ended());
      memory.retired = true;
    },
  };
}

type Jobs = {
  /** Nothing happens while the one of that name still runs, or has broken a moment ago. */
  begin(name: string, work: () => Promise<void>): void;
  ended(): Promise<unknown>;
};

function newJobs(world: World, memory: RemoteMemory, wake: () => void): Jobs {
  const running = new Map<string, Promise<void>>();
  const broken = new Map<string, number>();
  const run = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      broken.set(name, world.timers.monotonic() + BROKEN_MS);
      // What comes back after the end of the engine is nobody's concern.
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      if (!memory.retired) world.log(`${name}: ${what}`);
    } finally {
      running.delete(name);
      wake();
    }
  };
  return {
    begin(name, work) {
      if (running.has(name) || (broken.get(name) ?? 0) > world.timers.monotonic()) return;
      broken.delete(name);
      running.set(name, run(name, work));
    },
    ended: () => Promise.all(running.values()),
  };
}

const BROKEN_MS = 5000;

async function settleAll(place: Publishing, jobs: Jobs): Promise<void> {
  const { world, memory } = place;
  for (const convoy of await pendingConvoys(world.ledger.db)) {
    if (!isDue(place, memory.convoys.get(convoy.id))) continue;
    jobs.begin(`branches of ${convoy.id}`, async () => {
      const { pushes } = memory;
      await settleBranches(place, convoy);
      // Something was pushed meanwhile: that may be what it waited for.
      if (pushes === memory.pushes) restFor(place, convoy);
    });
  }
}

async function pushAll(place: Publishing, jobs: Jobs): Promise<void> {
  const { world, memory } = place;
  for (const repo of await reposWithUnsent(world.ledger.db)) {
    if ((await dueBranches(place, repo)).length === 0) continue;
    jobs.begin(`pushes of ${repo}`, async () => {
      await pushBranches(place, repo);
      memory.pushes += 1;
      memory.convoys.clear();
    });
  }
}

/** A look that settled nothing is repeated when a remote may answer again, and now and then anyway. */
function restFor({ world, settings, memory }: Publishing, { id }: Convoy): void {
  const now = world.timers.monotonic();
  const answers = [...memory.origins.values()].map(({ until }) => until - now);
  const ms = Math.min(LONGEST_REST_MS, ...answers);
  const until = now + Math.max(ms, settings.workspace.backoffMs);
  memory.convoys.set(id, { tries: 1, until });
}

const LONGEST_REST_MS = 30_000;

async function within({ timers }: World, ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const letGo = timers.after(ms, late.resolve);
  await Promise.race([work, late.promise]);
  letGo();
}

/** Milliseconds until something that failed is tried again. */
function nextDue({ world, memory }: Publishing): number | null {
  const now = world.timers.monotonic();
  const waits = [memory.origins, memory.branches, memory.convoys]
    .flatMap((each) => [...each.values()])
    .map(({ until }) => until - now)
    .filter((ms) => ms > 0);
  return waits.length === 0 ? null : Math.min(...waits);
}
