import { isJson, textIn } from '../json.ts';
import { statusIn } from '../presets/status-in.ts';
import type { AgentEnd } from './agent-process.ts';
import { TRY_LATER } from '../../../ports/agent.ts';

/** Why a conversation came to nothing, and the exit code that says so. */
export type Failure = {
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly exit: number;
};

export const failure = (code: string, message: string, exit = 1): Failure => ({
  code,
  message,
  status: null,
  exit,
});

/** What an agent's end means when the conversation was not over. */
export function endedEarly(end: AgentEnd, during: string, lastWords: string): Failure {
  if (end.kind === 'not-started') return failure('not-started', end.message, 127);
  const how = end.kind === 'code' ? `exit ${end.code}` : end.signal;
  const words = lastWords === '' ? '' : `: ${lastWords}`;
  const message = `the agent ended with ${how} during ${during}${words}`;
  if (end.kind === 'code' && end.code === TRY_LATER)
    return failure('try-later', lastWords || message, TRY_LATER);
  return failure('agent-ended', message);
}

/** What the agent answered instead of a result. */
export function refusedBy(error: unknown, during: string): Failure {
  const said = messageOf(error);
  const details = detailsOf(error);
  const message = `${during}: ${details === '' ? said : `${said}: ${details}`}`;
  return {
    code: codeOf(error, details),
    message,
    status: statusIn(message) ?? statusOf(error),
    exit: 1,
  };
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const dataOf = (error: unknown): unknown =>
  error instanceof Error && 'data' in error ? error.data : undefined;

function detailsOf(error: unknown): string {
  const data = dataOf(error);
  if (data === undefined || data === null) return '';
  if (typeof data === 'string') return data;
  const told = isJson(data) ? textIn(data, 'details') || textIn(data, 'message') : '';
  return told || JSON.stringify(data);
}

/** Codes of JSON-RPC are negative; a positive one is the status of the model's server. */
function statusOf(error: unknown): number | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'number' && code >= 400 && code < 600 ? code : null;
}

const AUTH_REQUIRED = -32_000;

const isAuthRequired = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === AUTH_REQUIRED;

function codeOf(error: unknown, details: string): string {
  if (isAuthRequired(error)) return 'auth-required';
  return details.includes('APIError') ? 'api_error' : 'agent-error';
}
