import type { MiddlewareHandler } from 'hono';
import { problemResponse } from './problem-response.ts';

/** Who is asking: decided where the app is served, because a call in process needs no token. */
export type Caller = {
  /** The actor to write on events, or null when the request may not pass. */
  identify(request: Request): Promise<string | null>;
  /** Host names under which we answer; null when the request never crossed a socket. */
  readonly hosts: ReadonlySet<string> | null;
  /** What a client that looks for this workspace calls us. */
  readonly instance?: string;
};

const OPEN_TO_ANYONE = new Set(['/api/v1/health', '/openapi.json']);

/** Refuses other hosts (DNS rebinding), other origins (a web page), and callers without a token. */
export function guard(callers: Caller): MiddlewareHandler {
  return async (context, next) => {
    const { hosts } = callers;
    const { req } = context;
    if (hosts !== null) {
      if (!hosts.has(hostOf(req.header('host'))))
        return forbidden('foreign_host', 'This address is not ours.');
      const origin = req.header('origin');
      if (origin !== undefined && !hosts.has(hostOf(origin.replace(/^https?:\/\//, ''))))
        return forbidden('foreign_origin', 'Another web page may not call this.');
    }
    const wanted = req.header('x-convoy-instance');
    if (wanted !== undefined && wanted !== callers.instance)
      return problemResponse({
        kind: 'unavailable',
        code: 'wrong_instance',
        message: 'This is the daemon of another workspace.',
        remedy: 'Try again: the address has changed hands.',
      });
    if (OPEN_TO_ANYONE.has(req.path)) return next();
    if ((await callers.identify(req.raw)) === null)
      return problemResponse({
        kind: 'unauthenticated',
        code: 'no_token',
        message: 'A token is needed.',
        remedy: 'Send Authorization: Bearer with the content of .convoy/token.',
      });
    return next();
  };
}

const forbidden = (code: string, message: string): Response =>
  problemResponse({ kind: 'forbidden', code, message });

/** The name without its port; an IPv6 address keeps its brackets. */
const hostOf = (header: string | undefined): string =>
  (header ?? '').replace(/:\d+$/, '').toLowerCase();
