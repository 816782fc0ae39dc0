import type { Change } from '../domain/merge/change.ts';
import type { Attempt } from '../domain/work/attempt.ts';
import type { EarlierAttempt } from '../domain/work/prompt.ts';
import { attemptsOf } from '../ledger/queries/attempts.ts';
import { changesOf } from '../ledger/queries/changes.ts';
import { checkpointsOf } from '../ledger/queries/checkpoints.ts';
import type { AgentEvent } from '../ports/agent.ts';
import { executionId } from '../ports/executor.ts';
import type { Settings } from '../ports/settings.ts';
import type { World } from './world.ts';

/** The prompt shows the newest few; the output of others need not be read. */
const MOST_READ = 3;
const LAST_BYTES = 64 * 1024;

/** What became of the attempts before this one, with what they noted and last said. */
export async function earlierAttempts(
  world: World,
  settings: Settings,
  attempt: Attempt,
): Promise<EarlierAttempt[]> {
  const { db } = world.ledger;
  const changes = new Map(
    (await changesOf(db, attempt.task)).map((change) => [change.attempt, change]),
  );
  const before = (await attemptsOf(db, attempt.task)).filter(({ id }) => id !== attempt.id);
  const notes = await checkpointsOf(
    db,
    before.map(({ id }) => id),
  );
  return Promise.all(
    before.map(async (one, at) => {
      const { outcome, log } = outcomeOf(one, changes.get(one.id));
      const noted = (notes.get(one.id) ?? []).map((note) => `noted: ${note}`);
      const isRead = log === '' && at >= before.length - MOST_READ;
      const said = isRead ? await lastWords(world, settings, one) : log;
      return { number: one.number, outcome, log: [...noted, said].join('\n').trim() };
    }),
  );
}

/** Handing in is not the end of it: the queue has a word as well. */
function outcomeOf(
  { status, reason }: Attempt,
  change?: Change,
): { readonly outcome: string; readonly log: string } {
  if (change?.status === 'red')
    return {
      outcome: `gate ${change.failure.gate} failed on the merged tree`,
      log: change.failure.log,
    };
  const outcome =
    change?.status === 'withdrawn' ? `its change was taken back: ${change.reason}` : reason;
  return { outcome: outcome ?? change?.status ?? status, log: '' };
}

/** The end of what an agent printed, in words where its protocol is understood. */
async function lastWords(world: World, settings: Settings, attempt: Attempt): Promise<string> {
  const id = executionId(attempt.id);
  const found = await world.executor.find(id);
  const kind = settings.agents[attempt.agent];
  const agent = kind === undefined ? null : world.agent(attempt.agent, kind);
  if (found.status !== 'exited' || agent?.ok !== true) return '';
  const from = Math.max(0, found.output.bytes - LAST_BYTES);
  const { bytes } = await world.executor.tail(id, from, LAST_BYTES);
  const parser = agent.value.parser();
  const events = [...(from > 0 ? parser.skip(from) : []), ...parser.push(bytes), ...parser.end()];
  return events.flatMap(inWords).join('\n');
}

function inWords(event: AgentEvent): string[] {
  switch (event.kind) {
    case 'message':
      return event.thinking ? [] : [event.text];
    case 'note':
      return event.code === 'text' ? [event.text] : [];
    case 'error':
      return [event.message];
    case 'tool-result':
      return event.outcome === 'ok' ? [] : [event.text];
    default:
      return [];
  }
}
