/** How a gate's process ended, as the runner saw it. */
export type GateResult = {
  readonly exit: number | null;
  readonly signal: string | null;
  /** The harness ended it because its time was over. */
  readonly timedOut: boolean;
  /** It could not be started: the system's error code. */
  readonly spawnError: string | null;
  /** Tests the gate reported; null when it reported no number. */
  readonly testsRan: number | null;
  readonly requireTests: boolean;
  /** How often this gate may still be run again on the same tree. */
  readonly retriesLeft: number;
};

/**
 * What a gate's end means.
 *
 * `green` and `red` are answers about the tree. `errored` is no answer: run it again. `broken` is
 * no answer either, and no second run would give one: the queue pauses and nobody is blamed.
 */
export type GateVerdict =
  | { readonly verdict: 'green' }
  | { readonly verdict: 'red'; readonly exit: number }
  | { readonly verdict: 'errored'; readonly because: 'failed-once' | 'killed' | 'not-started' }
  | { readonly verdict: 'broken'; readonly because: Breakage };

export type Breakage =
  | 'missing-tool'
  | 'not-executable'
  | 'timed-out'
  | 'no-tests-ran'
  | 'killed'
  | 'not-started';

/** Reads a gate's end. A failing gate is run again while it has retries left, then it is red. */
export function classifyGate(result: GateResult): GateVerdict {
  const { exit, retriesLeft } = result;
  if (result.spawnError !== null) return notStarted(result.spawnError, retriesLeft);
  if (result.timedOut) return broken('timed-out');
  if (result.signal !== null || exit === null || KILLED_EXITS.has(exit))
    return retriesLeft > 0 ? { verdict: 'errored', because: 'killed' } : broken('killed');
  const breakage = BROKEN_EXITS.get(exit);
  if (breakage !== undefined) return broken(breakage);
  if (result.requireTests && ranNothing(result)) return broken('no-tests-ran');
  if (exit === 0) return { verdict: 'green' };
  if (retriesLeft > 0) return { verdict: 'errored', because: 'failed-once' };
  return { verdict: 'red', exit };
}

/** What several gates over one tree say together; none at all is green. */
export function judgeGates(verdicts: readonly GateVerdict[]): GateVerdict {
  const order: readonly GateVerdict['verdict'][] = ['broken', 'errored', 'red'];
  for (const kind of order) {
    const found = verdicts.find((one) => one.verdict === kind);
    if (found !== undefined) return found;
  }
  return { verdict: 'green' };
}

export type GateAnswer = {
  readonly gate: string;
  readonly commit: string;
  readonly verdict: GateVerdict;
  readonly log: string;
};

/** Two logs of the same gate: on the change, and on the target without it. */
export type FailedBefore = {
  readonly gate: string;
  readonly target: string;
  readonly logs: readonly [change: string, target: string];
};

/** "It failed before" is true only when the same gate is red on the exact commit of the target. */
export function failedBefore(
  failure: GateAnswer,
  answers: readonly GateAnswer[],
  targetCommit: string,
): FailedBefore | null {
  if (failure.verdict.verdict !== 'red') return null;
  const before = answers.find(
    (answer) =>
      answer.gate === failure.gate &&
      answer.commit === targetCommit &&
      answer.verdict.verdict === 'red',
  );
  if (before === undefined) return null;
  return { gate: failure.gate, target: targetCommit, logs: [failure.log, before.log] };
}

/** What a shell says when it finds no such command, or may not run it. */
const BROKEN_EXITS: ReadonlyMap<number, Breakage> = new Map([
  [127, 'missing-tool'],
  [126, 'not-executable'],
]);

// A shell passes on that its child was killed (out of memory) or told to end as 128 + signal.
const KILLED_EXITS: ReadonlySet<number> = new Set([137, 143]);

function notStarted(code: string, retriesLeft: number): GateVerdict {
  if (code === 'ENOENT') return broken('missing-tool');
  if (code === 'EACCES' || code === 'ENOEXEC') return broken('not-executable');
  return retriesLeft > 0 ? { verdict: 'errored', because: 'not-started' } : broken('not-started');
}

/** A gate that passes without a count has shown nothing; one that fails without it may not compile. */
const ranNothing = ({ exit, testsRan }: GateResult): boolean =>
  testsRan === 0 || (exit === 0 && testsRan === null);

const broken = (because: Breakage): GateVerdict => ({ verdict: 'broken', because });
