import { noAddress } from '../contract/no-address.ts';
import type { Problem } from '../contract/problem.ts';
import type { AnyRoute, CallOf, OutputOf } from '../contract/route.ts';
import { SCHEMA } from '../contract/schemas/words.ts';
import { isDiskFull } from '../ledger/disk-full.ts';
import { LedgerUnreachable } from '../ledger/ledger-unreachable.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { handlerOf } from './all-handlers.ts';
import { ask } from './ask.ts';
import type { Services } from './context.ts';
import type { Identified } from './identity/identify.ts';
import { diskFull, unreachable } from './ledger-problem.ts';

/** Calls a route in this process: the same checks and the same handler, without a wire between. */
export async function callDirectly<R extends AnyRoute>(
  route: R,
  input: CallOf<R>,
  who: Identified,
  services: Services,
): Promise<Result<OutputOf<R>, Problem>> {
  const unnameable = noAddress(input.params);
  if (unnameable !== null) return err(unnameable);
  const handler = await handlerOf(route.id);
  const raw = {
    params: texts(input.params),
    query: texts(input.query),
    // What a wire would drop or change is dropped and changed here too.
    body: input.body === undefined ? {} : (JSON.parse(JSON.stringify(input.body)) as unknown),
    idempotencyKey: null,
  };
  try {
    const result = await ask(handler, raw, who, services);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handler belongs to this route
    return result.ok ? ok({ schema: SCHEMA, ...result.value } as OutputOf<R>) : result;
  } catch (error) {
    return err(unexpected(error));
  }
}

/** What a bug inside looks like from outside; a database that does not answer or a full disk is none. */
export function unexpected(error: unknown): Problem {
  if (error instanceof LedgerUnreachable) return unreachable(error);
  if (isDiskFull(error)) return diskFull(error);
  return {
    kind: 'internal',
    code: 'internal_error',
    message: 'Something went wrong inside Convoy.',
    cause: error instanceof Error ? error.message : String(error),
    remedy: 'Run it again with --debug; nothing was half written.',
  };
}

/** Query strings and paths know only text. */
function texts(values: unknown): Record<string, string> & Record<string, string[]> {
  const entries = Object.entries(values ?? {}).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const written = entries.map(([key, value]) => [
    key,
    Array.isArray(value) ? value.map(String) : String(value),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value was made text above
  return Object.fromEntries(written) as Record<string, string> & Record<string, string[]>;
}
