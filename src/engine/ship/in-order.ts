/** Writes what is told while something goes on, one after the other and in the order of the telling. */
export type Telling = {
  readonly tell: (write: () => Promise<void>) => void;
  /** Resolves when everything is written. */
  readonly done: () => Promise<void>;
};

/**
 * Two writers on one run cannot both win, so nothing is written side by side. What cannot be
 * written is left out: the run has ended meanwhile, and whoever drives it will find that out.
 */
export function inOrder(): Telling {
  let last: Promise<void> = Promise.resolve();
  return {
    tell: (write) => {
      last = last.then(write).catch(() => {});
    },
    done: () => last,
  };
}
