type Gate = { readonly name: string; readonly retries: number };

const LONGEST_NAME = 40;

/** The execution of one gate's first try and of its retries, without the number of the try. */
export const gateRun = (
  verification: string,
  place: number,
  { name }: Pick<Gate, 'name'>,
): string =>
  `${verification}.${place}-${name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, LONGEST_NAME)}`;

export const setupRun = (verification: string): string => `${verification}.setup`;

/** One execution that a verification may have started. */
export type Run = { readonly id: string; readonly title: string };

/** Every execution a verification may have started, in their order. */
export const gateRuns = (verification: string, gates: readonly Gate[]): Run[] => [
  { id: setupRun(verification), title: 'setup' },
  ...gates.flatMap((gate, place) =>
    Array.from({ length: gate.retries + 1 }, (_, round) => ({
      id: `${gateRun(verification, place, gate)}.${round}`,
      title: round === 0 ? `gate ${gate.name}` : `gate ${gate.name}, try ${round + 1}`,
    })),
  ),
];
