import { setTimeout as pause } from 'node:timers/promises';
import type { LanguageModelMiddleware } from 'ai';
import type { ModelProblem } from '../../ports/model.ts';
import { type Meter, tokensIn } from './meter.ts';
import { failedTry, type FailedTry, Interrupted, Silence } from './problem.ts';

/** How long to wait for a model, and how often to come back. */
export type Patience = {
  readonly tries: number;
  /** Before the second try; it doubles each time. */
  readonly backoffMs: number;
  readonly longestWaitMs: number;
  /** How long nothing may come: before the first word and between two. */
  readonly silenceMs: number;
  /** Between 0 and 1; spreads those that were turned away together. */
  readonly chance: () => number;
};

/** One turn could not be had. */
export class NoTurn extends Error {
  readonly why: { readonly limit: 'tokens' | 'usd' } | { readonly problem: ModelProblem };

  constructor(why: NoTurn['why']) {
    super('no turn');
    this.why = why;
  }
}

export type Watch = {
  readonly signal: AbortSignal;
  /**
   * The tool that the model must use now, as far as it can be made to.
   *
   * Told to the provider only: the library ends a talk with an error when the model does otherwise.
   */
  readonly forcedTool: () => string | null;
  readonly onRetry: (problem: ModelProblem, waitMs: number) => void;
};

type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>;
type Asking = Parameters<WrapStream>[0];
type Streamed = Awaited<ReturnType<WrapStream>>;
type Part = Streamed['stream'] extends ReadableStream<infer P> ? P : never;

/**
 * Asks for each turn within the limits, and again when no answer came.
 *
 * The answer is read to its end before any of it counts, so that a try that breaks off in the
 * middle leaves nothing behind. Only a missing answer is asked for again, never one we dislike.
 */
export function patientCall(
  meter: Meter,
  patience: Patience,
  watch: Watch,
): LanguageModelMiddleware {
  return {
    specificationVersion: 'v4',
    async wrapStream({ model, params }) {
      const size = JSON.stringify([params.prompt, params.tools]).length;
      const limit = meter.inTheWay(size);
      if (limit !== null) throw new NoTurn({ limit });
      const asking = { ...params, ...forced(watch), maxOutputTokens: meter.room(size) };
      const parts = await tries(() => oneTry(model, asking, patience, watch), meter, patience, {
        ...watch,
        size,
      });
      meter.add({ turns: 1, ...spent(parts, size) });
      return { stream: ReadableStream.from(parts.map(quiet)) };
    },
  };
}

function forced({ forcedTool }: Watch): Pick<Asking['params'], 'toolChoice'> {
  const toolName = forcedTool();
  return toolName === null ? {} : { toolChoice: { type: 'tool', toolName } };
}

async function tries(
  ask: () => Promise<Part[]>,
  meter: Meter,
  patience: Patience,
  { signal, onRetry, size }: Pick<Watch, 'signal' | 'onRetry'> & { size: number },
): Promise<Part[]> {
  for (let done = 1; ; done += 1) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const failure = failedTry(error);
      const { problem } = failure;
      // What began to work on it may have to be paid for all the same.
      if (problem.kind === 'timeout' || problem.kind === 'garbled')
        meter.add({ turns: 0, inputTokens: tokensIn(size), outputTokens: 0 });
      if (!failure.mayRetry || done >= patience.tries || meter.inTheWay(size) !== null)
        throw new NoTurn({ problem });
      const waitMs = waitBefore(done, failure, patience);
      onRetry(problem, waitMs);
      await pause(waitMs, undefined, { signal });
    }
  }
}

function waitBefore(done: number, { retryAfterMs }: FailedTry, patience: Patience): number {
  const own = patience.backoffMs * 2 ** (done - 1) * (1 + patience.chance() / 2);
  return Math.round(Math.min(patience.longestWaitMs, Math.max(own, retryAfterMs ?? 0)));
}

async function oneTry(
  model: Asking['model'],
  params: Asking['params'],
  { silenceMs }: Patience,
  { signal }: Watch,
): Promise<Part[]> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const abortSignal = AbortSignal.any([signal, silence.signal]);
    const { stream } = await model.doStream({ ...params, abortSignal });
    const parts: Part[] = [];
    for await (const part of stream) {
      timer.refresh();
      if (part.type === 'error') throw part.error;
      parts.push(part);
    }
    if (!isWhole(parts)) throw new Interrupted();
    return parts;
  } catch (error) {
    throw silence.signal.aborted ? new Silence() : error;
  } finally {
    clearTimeout(timer);
  }
}

const isWhole = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.type === 'finish' && part.finishReason.unified !== 'interrupted');

/** What the provider counted; a guess where it does not count. */
function spent(
  parts: readonly Part[],
  size: number,
): { readonly inputTokens: number; readonly outputTokens: number } {
  const usage = parts.find((part) => part.type === 'finish')?.usage;
  const answered = parts.reduce((sum, part) => sum + ('delta' in part ? part.delta.length : 0), 0);
  return {
    inputTokens: usage?.inputTokens.total ?? tokensIn(size),
    outputTokens: usage?.outputTokens.total ?? tokensIn(answered),
  };
}

/** Warnings would be printed, with the model's name in them. */
const quiet = (part: Part): Part =>
  part.type === 'stream-start' ? { ...part, warnings: [] } : part;
