import { APICallError } from 'ai';
import type { ModelProblem } from '../../ports/model.ts';

/** A try that gave no answer, and whether another one may. */
export type FailedTry = {
  readonly problem: ModelProblem;
  readonly mayRetry: boolean;
  /** What the provider asked us to wait. */
  readonly retryAfterMs: number | null;
};

/** Nothing came for too long. */
export class Silence extends Error {}
/** The answer ended in the middle or was no answer. */
export class Interrupted extends Error {}

/**
 * Puts what went wrong into our own words.
 *
 * Nothing of the provider's text is kept: it may repeat the key, the model's name or the question.
 */
export function failedTry(error: unknown): FailedTry {
  if (error instanceof Silence) return failed('timeout', null);
  if (error instanceof Interrupted) return failed('garbled', null);
  const status = statusOf(error);
  if (status !== null) return { ...failed(kindOf(status), status), retryAfterMs: waitOf(error) };
  return failed(
    APICallError.isInstance(error) && !error.isRetryable ? 'garbled' : likely(error),
    null,
  );
}

const MESSAGES: Readonly<Record<ModelProblem['kind'], string>> = {
  unauthorised: 'The model provider does not accept the key; check it and what it may be used for.',
  'not-found': 'The model provider knows no such model or address; check [model] and the base URL.',
  rejected: 'The model provider rejected the request.',
  busy: 'The model provider is busy and asks to come back later.',
  unavailable: 'The model provider has a fault of its own.',
  unreachable: 'The model provider cannot be reached; check the base URL and the network.',
  timeout: 'The model did not answer in time.',
  garbled: 'The model provider sent something that is no answer.',
};

const AGAIN: ReadonlySet<ModelProblem['kind']> = new Set([
  'busy',
  'unavailable',
  'unreachable',
  'timeout',
  'garbled',
]);

function failed(kind: ModelProblem['kind'], status: number | null): FailedTry {
  const message = status === null ? MESSAGES[kind] : `${MESSAGES[kind]} (HTTP ${status})`;
  return { problem: { kind, status, message }, mayRetry: AGAIN.has(kind), retryAfterMs: null };
}

function kindOf(status: number): ModelProblem['kind'] {
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 404) return 'not-found';
  if (status === 429) return 'busy';
  if (status === 408 || status === 409 || status >= 500) return 'unavailable';
  // Success with a body that could not be read.
  return status < 300 ? 'garbled' : 'rejected';
}

/** Errors inside a stream have no status of their own but say what they are. */
function statusOf(error: unknown): number | null {
  const status = field(error, 'statusCode') ?? field(error, 'status');
  if (typeof status === 'number') return status;
  const type = field(error, 'type');
  if (type === 'overloaded_error') return 529;
  if (type === 'rate_limit_error') return 429;
  return type === 'api_error' ? 500 : null;
}

/** The network's own errors have a code; what the reader of the stream throws has none. */
function likely(error: unknown): ModelProblem['kind'] {
  const isNetwork = APICallError.isInstance(error) || error instanceof TypeError;
  return isNetwork ? 'unreachable' : 'garbled';
}

function waitOf(error: unknown): number | null {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const ms = Number(headers?.['retry-after-ms']);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const seconds = Number(headers?.['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
