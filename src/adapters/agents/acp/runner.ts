import { readFileSync } from 'node:fs';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Result } from '../../../lib/result.ts';
import { countIn, isJson, type Json, objectIn, textIn } from '../json.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { clientSide } from './client-side.ts';
import { converse, type Talk } from './conversation.ts';
import type { Failure } from './failure.ts';
import type { AcpJob } from './job.ts';
import { type Log, logTo, writeOut } from './log.ts';

const MOST_CALLS = 1000;

/**
 * Our side of a conversation, as a program: `node <this> <job file>` in the worktree.
 *
 * A bundle of its own and not text like the other runners, because it speaks through the protocol's
 * library, which must be in it.
 */
await main(process.argv[2] ?? '');

async function main(jobFile: string): Promise<never> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by prepare() of the same build
  const job = JSON.parse(readFileSync(jobFile, 'utf8')) as AcpJob;
  const log = logTo(writeOut);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => stop.abort());
  const agent = startAgent(job.command, job.worktree, (line) => log.text(line));
  const ended = await talkTo(agent, job, log, stop.signal);
  if (!ended.ok) {
    const { code, message, status, exit } = ended.error;
    log.tell({ type: 'error', code, message, status, fatal: exit === 1 });
  }
  await agent.close();
  log.flush();
  process.exit(ended.ok ? 0 : ended.error.exit);
}

function talkTo(
  agent: AgentProcess,
  job: AcpJob,
  log: Log,
  stop: AbortSignal,
): Promise<Result<null, Failure>> {
  const heard = listener(log);
  const side = clientSide({ job, log, calls: heard.calls, stop, access: accessOf(process.env) });
  const connection = side.connect(tapped(agent.stream, heard.update));
  const { replaying } = heard;
  const talk: Talk = { job, log, agent, connection, stop, env: process.env, replaying };
  return converse(talk, readFileSync(job.promptFile, 'utf8'));
}

function accessOf(env: NodeJS.ProcessEnv): { url: string; token: string } {
  return { url: env['CONVOY_URL'] ?? '', token: env['CONVOY_TOKEN'] ?? '' };
}

/** Keeps what a session tells: in the log, or, while it repeats its history, only what it had cost. */
function listener(log: Log): Pick<Talk, 'replaying'> & {
  readonly update: (update: Json) => void;
  readonly calls: ReadonlyMap<string, Json>;
} {
  const calls = new Map<string, Json>();
  let history: { updates: number; cost: number } | null = null;
  return {
    calls,
    update(update) {
      if (history !== null) {
        history.updates += 1;
        if (update['sessionUpdate'] === 'usage_update')
          history.cost = countIn(objectIn(update, 'cost'), 'amount');
        return;
      }
      remember(calls, update);
      log.update(update);
    },
    async replaying(step) {
      const heard = { updates: 0, cost: 0 };
      history = heard;
      try {
        return { value: await step(), costBefore: heard.cost };
      } finally {
        history = null;
        log.tell({ type: 'replayed', updates: heard.updates });
      }
    },
  };
}

/** A later request may name a tool call by its id only. */
function remember(calls: Map<string, Json>, update: Json): void {
  const { sessionUpdate, status } = update;
  if (sessionUpdate !== 'tool_call' && sessionUpdate !== 'tool_call_update') return;
  const id = textIn(update, 'toolCallId');
  if (status === 'completed' || status === 'failed') calls.delete(id);
  else if (calls.size < MOST_CALLS) calls.set(id, { ...calls.get(id), ...update });
}

/**
 * Takes the updates of the session out of the stream, as they are: the library would hold them
 * against its own list, and an update that is newer than it would be lost.
 */
function tapped({ readable, writable }: Stream, update: (update: Json) => void): Stream {
  const tap = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && message.method === 'session/update' && !('id' in message))
        update(isJson(message.params) ? objectIn(message.params, 'update') : {});
      else controller.enqueue(message);
    },
  });
  return { readable: readable.pipeThrough(tap), writable };
}
