import { createHash } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from './records.ts';
import { beginWrapper, type Said, type Wrapper } from './wrapper.ts';
import { type Pool, poolOf } from './wrapper-pool.ts';
import { WRAPPER_SOURCE } from './wrapper-source.ts';

export type WrapperSettings = { readonly directory: string; readonly node: string };

/** Runs executions in wrappers, and knows those that are under way. */
export type Wrappers = {
  launch(run: string, message: Readonly<Record<string, unknown>>): Promise<Said>;
  /** Something ended, so something else is likely to start soon. */
  readonly expectMore: () => void;
  /** So many runs are about to be launched. */
  prepare(count: number): void;
  /** Whether this run is under way in a wrapper of ours, whose word about its end we are told. */
  isOurs(run: string): boolean;
  onEnd(run: string, tell: () => void): Disposable;
  /** The wrapper of this run gets no other. */
  retire(run: string): void;
};

type Underway = { readonly wrapper: Wrapper; readonly waiting: Set<() => void> };

export function wrappersIn({ directory, node }: WrapperSettings): Wrappers {
  const pool = poolOf(() => beginWrapper(node, wrapperIn(directory), directory));
  const ours = new Map<string, Underway>();
  return {
    launch: (run, message) => {
      const text = `${JSON.stringify({ ...message, dir: run })}\n`;
      return pool.during(() => launch(pool, ours, run, text));
    },
    expectMore: pool.expectMore,
    prepare: (count) => pool.prepare(count),
    isOurs: (run) => ours.has(run),
    onEnd: (run, tell) => {
      const waiting = ours.get(run)?.waiting;
      waiting?.add(tell);
      return { [Symbol.dispose]: () => void waiting?.delete(tell) };
    },
    retire: (run) => ours.get(run)?.wrapper.release(),
  };
}

async function launch(
  pool: Pool,
  ours: Map<string, Underway>,
  run: string,
  text: string,
): Promise<Said> {
  const warm = pool.take();
  const early = warm === undefined ? null : await execute(warm, pool, ours, run, text);
  if (early !== null) return early;
  // One that died may have claimed the run before: then this one finds it taken.
  const fresh = pool.begin();
  const said = await execute(fresh, pool, ours, run, text);
  if (said !== null) return said;
  throw new Error(`the execution's wrapper did not start: ${fresh.complaints() || 'no output'}`);
}

function execute(
  wrapper: Wrapper,
  pool: Pool,
  ours: Map<string, Underway>,
  run: string,
  text: string,
): Promise<Said | null> {
  let waiting: Set<() => void> | null = null;
  return wrapper.execute(text, {
    running: () => {
      waiting = new Set();
      ours.set(run, { wrapper, waiting });
    },
    over: () => {
      if (wrapper.isFree()) pool.put(wrapper);
      else keepComplaints(run, wrapper);
      // Where the run was taken, it is under way elsewhere.
      if (waiting === null) return;
      ours.delete(run);
      for (const tell of waiting) tell();
    },
  });
}

/** For people who wonder why a run was lost. */
function keepComplaints(run: string, wrapper: Wrapper): void {
  if (!wrapper.crashed() || wrapper.complaints() === '') return;
  try {
    appendFileSync(join(run, 'wrapper.log'), wrapper.complaints(), { mode: 0o600 });
  } catch {
    // They are no part of the record.
  }
}

/** The wrapper's file, named after its content, so that versions of us can share a directory. */
function wrapperIn(directory: string): string {
  const digest = createHash('sha256').update(WRAPPER_SOURCE).digest('hex').slice(0, 12);
  const file = join(directory, `.wrapper-${digest}.cjs`);
  if (!existsSync(file)) writeWhole(file, WRAPPER_SOURCE);
  return file;
}
