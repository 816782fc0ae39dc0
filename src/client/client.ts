import type { Problem } from '../contract/problem.ts';
import type { AnyRoute, CallOf, OutputOf } from '../contract/route.ts';
import type { Result } from '../lib/result.ts';

/** Calls any route of the contract; the same code over HTTP and in process. */
export interface Client {
  call<R extends AnyRoute>(route: R, input: CallOf<R>): Promise<Result<OutputOf<R>, Problem>>;
  /** The raw answer, for streams. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}
