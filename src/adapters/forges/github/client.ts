import { Octokit } from '@octokit/rest';
import { err, ok, type Result } from '../../../lib/result.ts';
import type { ForgeProblem } from '../../../ports/forge.ts';
import { problemOf } from './problem.ts';

/** Asks GitHub once; whoever calls decides when to ask again. */
export type Client = {
  readonly octokit: Octokit;
  ask<T>(
    doing: 'merge' | 'other',
    call: (octokit: Octokit) => Promise<T>,
  ): Promise<Result<T, ForgeProblem>>;
};

export type ClientWish = {
  readonly token: string;
  readonly apiUrl: string;
  readonly now: () => number;
};

const TIMEOUT_MS = 20_000;

export function githubClient({ token, apiUrl, now }: ClientWish): Client {
  const octokit = new Octokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'convoy',
    // Its own warnings would go to the terminal.
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    request: {
      fetch: (input: string, init?: RequestInit) =>
        fetch(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
    },
  });
  return {
    octokit,
    ask: async (doing, call) => {
      try {
        return ok(await call(octokit));
      } catch (error) {
        return err(hiding(token, problemIn(error, doing, now())));
      }
    },
  };
}

const quiet = (): void => {};

function problemIn(error: unknown, doing: 'merge' | 'other', now: number): ForgeProblem {
  const { status, response } = seen(error);
  const message = error instanceof Error ? error.message : String(error);
  // Octokit gives a connection that broke the status 500 and no response.
  if (status === null || response === null) return { kind: 'unreachable', detail: message };
  const detail = [textIn(response.data, 'message') ?? message, ...errorsIn(response.data)];
  return problemOf({ status, message: detail.join(': '), headers: response.headers }, doing, now);
}

type Seen = {
  readonly status: number | null;
  readonly response: {
    readonly data: unknown;
    readonly headers: Readonly<Record<string, string | number | undefined>>;
  } | null;
};

function seen(error: unknown): Seen {
  if (typeof error !== 'object' || error === null) return { status: null, response: null };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field is checked before use
  const { status, response } = error as { status?: unknown; response?: Seen['response'] };
  return {
    status: typeof status === 'number' ? status : null,
    response: typeof response === 'object' && response !== null ? response : null,
  };
}

function textIn(data: unknown, key: string): string | null {
  const value = typeof data === 'object' && data !== null ? Reflect.get(data, key) : undefined;
  return typeof value === 'string' ? value : null;
}

/** GitHub lists what is wrong with a request beside its message. */
function errorsIn(data: unknown): string[] {
  const list: unknown =
    typeof data === 'object' && data !== null ? Reflect.get(data, 'errors') : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((each: unknown) =>
    typeof each === 'string' ? [each] : (textIn(each, 'message') ?? textIn(each, 'code') ?? []),
  );
}

/** Whatever a proxy or a server repeats of a request must not carry the token on. */
const hiding = (token: string, problem: ForgeProblem): ForgeProblem => ({
  ...problem,
  detail: problem.detail.replaceAll(token, '[token]').slice(0, 500),
});
