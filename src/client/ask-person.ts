import type { Problem } from '../contract/problem.ts';
import type { CallOf, OutputOf } from '../contract/route.ts';
import { askInput, awaitInput } from '../contract/routes/worker.ts';
import type { Result } from '../lib/result.ts';
import type { Client } from './client.ts';

export type Answered = OutputOf<typeof askInput>;

/** The longest that one request is kept waiting. */
const TURN_S = 25;

/**
 * Puts a question to a person and waits for the answer as long as it is told to. A question that is
 * still pending then can be asked again: it is the same one.
 */
export async function askPerson(
  client: Pick<Client, 'call'>,
  body: NonNullable<CallOf<typeof askInput>['body']>,
  waitS: number,
): Promise<Result<Answered, Problem>> {
  let now = await client.call(askInput, { body });
  for (let left = waitS; now.ok && now.value.status === 'pending' && left > 0; left -= TURN_S)
    now = await client.call(awaitInput, {
      params: { id: now.value.question },
      query: { wait: Math.min(left, TURN_S) },
    });
  return now;
}
