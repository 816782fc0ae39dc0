import type {
  Ended,
  ExecutionId,
  ExecutionSpec,
  ExecutionState,
  Executor,
  Exit,
} from '../ports/executor.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A program under way; it ends itself, or is ended. */
export type Running = {
  readonly spec: ExecutionSpec;
  readonly startedAt: number;
  isOver(): boolean;
  end(how: Exit): void;
};

/** What a program does from its start on; it goes on in virtual time, whoever started it. */
export type Program = (running: Running) => void;

export type MemoryExecutor = {
  readonly port: Executor;
  running(): Running[];
};

type Known = Running & { state(): ExecutionState; ended: Promise<Ended> };

/** Runs programs that are functions. Like real ones they know nothing of the engine's life. */
export function memoryExecutor(time: VirtualTime, program: Program): MemoryExecutor {
  const known = new Map<ExecutionId, Known>();
  const must = (id: ExecutionId): Known => {
    const found = known.get(id);
    if (found === undefined) throw new Error(`${id}: nothing was started`);
    return found;
  };
  const empty = { bytes: new Uint8Array(), from: 0, next: 0, skipped: 0 };
  const port: Executor = {
    async start(spec) {
      if (known.has(spec.id)) return { id: spec.id, fresh: false };
      const made = begin(spec, time);
      known.set(spec.id, made);
      program(made);
      return { id: spec.id, fresh: true };
    },
    find: async (id) => known.get(id)?.state() ?? { status: 'absent' },
    async stop(id, { graceMs }) {
      const found = known.get(id);
      if (found === undefined) return { state: { status: 'absent' }, killed: 0, left: 0 };
      if (found.isOver()) return { state: found.state(), killed: 0, left: 0 };
      await time.sleep(graceMs / 2);
      found.end({ kind: 'signal', signal: 'SIGTERM' });
      return { state: found.state(), killed: 1, left: 0 };
    },
    tail: async () => empty,
    // oxlint-disable-next-line require-yield -- these programs print nothing
    async *follow(id, _from, signal) {
      await Promise.race([must(id).ended, aborted(signal)]);
    },
    async exit(id, signal) {
      const found = must(id);
      if (signal === undefined) return found.ended;
      const end = await Promise.race([found.ended, aborted(signal)]);
      if (end === null) throw signal.reason;
      return end;
    },
  };
  return { port, running: () => [...known.values()].filter((each) => !each.isOver()) };
}

function begin(spec: ExecutionSpec, time: VirtualTime): Known {
  const ended = Promise.withResolvers<Ended>();
  const startedAt = time.now();
  let end: Ended | null = null;
  return {
    spec,
    startedAt,
    ended: ended.promise,
    isOver: () => end !== null,
    state: () => end ?? { status: 'running', pid: 1, startedAt },
    end(how) {
      if (end !== null) return;
      end = { status: 'exited', how, at: time.now(), output: { bytes: 0, dropped: 0 } };
      ended.resolve(end);
    },
  };
}

const aborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
