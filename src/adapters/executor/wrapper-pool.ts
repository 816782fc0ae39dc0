import type { Wrapper } from './wrapper.ts';

/** Wrappers that have no execution, for those that will start. */
export type Pool = {
  /** The one that rested least, if there is any. */
  take(): Wrapper | undefined;
  /** Takes back one that has ended its execution. */
  put(wrapper: Wrapper): void;
  readonly begin: () => Wrapper;
  /** Does something that needs wrappers; spares are not begun meanwhile. */
  during<T>(act: () => Promise<T>): Promise<T>;
  /** Something ended, so something else is likely to start soon. */
  readonly expectMore: () => void;
  /** So many are about to be needed: they begin now, beside what is done before they are. */
  prepare(count: number): void;
};

/**
 * Node takes longer to begin than everything else a start does, and forking us stops the engine. So a
 * wrapper is used again, and while executions come and go, as many are kept as were busy together of late,
 * and a few more begin ahead of time. It is the same program either way: one without a message starts
 * nothing, and one whose engine dies reads the end of its input and goes.
 */
const SPARES = 2;
const MOST = 16;
/** A workspace that rests has no processes. */
const IDLE_MS = 5000;

/** What rests at the end of the list was used last and is used next, so those in front are the surplus. */
export function poolOf(beginNow: () => Wrapper): Pool {
  const resting: { readonly wrapper: Wrapper; readonly since: number }[] = [];
  let starting = 0;
  let rest: NodeJS.Timeout | undefined;
  const forget = (wrapper: Wrapper): void => {
    const at = resting.findIndex((each) => each.wrapper === wrapper);
    if (at >= 0) resting.splice(at, 1);
  };
  const begin = (): Wrapper => {
    const wrapper = beginNow();
    wrapper.onGone(() => forget(wrapper));
    return wrapper;
  };
  const release = (count: number): void => {
    for (const { wrapper } of resting.splice(0, count)) wrapper.release();
  };
  const trim = (): void => {
    const before = performance.now() - IDLE_MS;
    const unused = resting.filter(({ since }) => since < before).length;
    release(Math.max(unused - SPARES, resting.length - MOST));
  };
  const lacksSpares = (): boolean => resting.length < SPARES && starting === 0;
  /** One after the other: they must not take the machine from what they are meant to hasten. */
  const fill = oneAtATime(async () => {
    while (lacksSpares()) {
      const wrapper = begin();
      resting.unshift({ wrapper, since: performance.now() });
      if (!(await wrapper.ready)) return;
    }
  });
  const expectMore = (): void => {
    clearTimeout(rest);
    rest = setTimeout(() => release(resting.length), IDLE_MS).unref();
    trim();
    fill();
  };
  return {
    begin,
    expectMore,
    prepare: (count) => {
      const since = performance.now();
      while (resting.length < Math.min(count, MOST)) resting.unshift({ wrapper: begin(), since });
      expectMore();
    },
    take: () => resting.pop()?.wrapper,
    put: (wrapper) => {
      resting.push({ wrapper, since: performance.now() });
      expectMore();
    },
    during: async (act) => {
      starting += 1;
      try {
        return await act();
      } finally {
        starting -= 1;
        expectMore();
      }
    },
  };
}

/** Without spares a start takes longer, and says itself what is wrong; so failures are dropped here. */
function oneAtATime(act: () => Promise<void>): () => void {
  let underway = false;
  return () => {
    if (underway) return;
    underway = true;
    void act()
      .catch(() => undefined)
      .finally(() => {
        underway = false;
      });
  };
}
