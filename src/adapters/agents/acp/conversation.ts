import { type ClientConnection, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { err, ok, type Result } from '../../../lib/result.ts';
import { MCP_NAME, MCP_VARIABLES } from '../mcp-offer.ts';
import { isJson, type Json, numberIn, objectIn, objectsIn, textIn } from '../json.ts';
import type { AgentProcess } from './agent-process.ts';
import { endedEarly, type Failure, failure, refusedBy } from './failure.ts';
import type { AcpJob } from './job.ts';
import type { Log } from './log.ts';

/** One conversation under way. */
export type Talk = {
  readonly job: AcpJob;
  readonly log: Log;
  readonly agent: AgentProcess;
  readonly connection: ClientConnection;
  readonly stop: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs a step during which what the agent tells is history. */
  replaying<T>(step: () => Promise<T>): Promise<{ value: T; costBefore: number }>;
};

/** Says hello, opens or continues a session, gives the task and hears how it ended. */
export async function converse(talk: Talk, prompt: string): Promise<Result<null, Failure>> {
  const hello = await ask(talk, methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: CAPABILITIES,
    clientInfo: { name: 'convoy', title: 'Convoy', version: '1' },
  });
  if (!hello.ok) return hello;
  const version = numberIn(hello.value, 'protocolVersion');
  if (version !== PROTOCOL_VERSION)
    return err(
      failure(
        'protocol-version',
        `the agent speaks version ${version ?? 'unknown'} of the protocol, we speak ${PROTOCOL_VERSION}`,
      ),
    );
  const { agentInfo = null, agentCapabilities = null } = hello.value;
  talk.log.tell({ type: 'agent', agentInfo, agentCapabilities });
  const session = await openSession(talk, hello.value);
  return session.ok ? giveTask(talk, session.value, prompt) : session;
}

/**
 * Reading is left to the agent: it has the same disk, and one of them takes our answer that a file is
 * missing for a failure, so that it could not make new files.
 */
const CAPABILITIES = { fs: { readTextFile: false, writeTextFile: true }, terminal: false };

async function openSession(talk: Talk, hello: Json): Promise<Result<string, Failure>> {
  const { session } = talk.job;
  if (session !== null) {
    const taken = await takeUp(talk, session, objectIn(hello, 'agentCapabilities'));
    if (taken !== null) return taken;
  }
  const made = await authenticated(talk, hello, methods.agent.session.new, place(talk));
  if (!made.ok) return made;
  const id = textIn(made.value, 'sessionId');
  if (id === '') return err(failure('no-session', 'the agent opened a session without an id'));
  talk.log.tell({ type: 'session', id, resumed: false });
  return ok(id);
}

const place = ({ job, env }: Talk): { cwd: string; mcpServers: object[] } => ({
  cwd: job.worktree,
  mcpServers: job.mcp === null ? [] : [serverOf(job.mcp, env)],
});

/** The values of its variables are in our own environment, not in the job's file. */
const serverOf = (
  [command, ...args]: readonly [string, ...string[]],
  env: Talk['env'],
): object => ({
  name: MCP_NAME,
  command,
  args,
  env: MCP_VARIABLES.map((name) => ({ name, value: env[name] ?? '' })),
});

/** Said by a living agent, which may do better with a new session. */
const REFUSALS: readonly string[] = ['agent-error', 'api_error', 'auth-required'];

/** Continues an earlier session; null when the agent cannot or will not, and a new one must do. */
async function takeUp(
  talk: Talk,
  session: string,
  can: Json,
): Promise<Result<string, Failure> | null> {
  const method = isJson(objectIn(can, 'sessionCapabilities')['resume'])
    ? methods.agent.session.resume
    : can['loadSession'] === true
      ? methods.agent.session.load
      : null;
  const startAfresh = (why: string): null => {
    talk.log.tell({ type: 'note', text: `session ${session} is not continued: ${why}` });
    return null;
  };
  if (method === null) return startAfresh('the agent cannot');
  const { value, costBefore } = await talk.replaying(() =>
    ask(talk, method, { sessionId: session, ...place(talk) }),
  );
  if (value.ok) {
    talk.log.tell({ type: 'session', id: session, resumed: true, costBefore });
    return ok(session);
  }
  return REFUSALS.includes(value.error.code) ? startAfresh(value.error.message) : value;
}

/** Agents with a key in their environment may still want to be told to use it. */
async function authenticated(
  talk: Talk,
  hello: Json,
  method: string,
  params: object,
): Promise<Result<Json, Failure>> {
  const first = await ask(talk, method, params);
  if (first.ok || first.error.code !== 'auth-required') return first;
  const ways = objectsIn(hello, 'authMethods').map((way) => textIn(way, 'id'));
  const byKey = ways.find((id) => /api[-_]?key/i.test(id));
  if (byKey === undefined)
    return err({
      ...first.error,
      message: `${first.error.message}; log in with the agent itself first (it offers ${ways.join(', ') || 'nothing'})`,
    });
  const logged = await ask(talk, methods.agent.authenticate, { methodId: byKey });
  return logged.ok ? ask(talk, method, params) : logged;
}

const CANCEL_MS = 2000;

async function giveTask(
  talk: Talk,
  sessionId: string,
  prompt: string,
): Promise<Result<null, Failure>> {
  const { connection, stop, log } = talk;
  const cancel = (): void => {
    connection.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
  };
  stop.addEventListener('abort', cancel, { once: true });
  const answer = await ask(
    talk,
    methods.agent.session.prompt,
    { sessionId, prompt: [{ type: 'text', text: prompt }] },
    { limitMs: null, graceMs: CANCEL_MS },
  );
  if (!answer.ok) return answer;
  const stopReason = textIn(answer.value, 'stopReason');
  const { usage = null, _meta: meta = null } = answer.value;
  log.tell({ type: 'end', stopReason, usage, meta });
  const problem = STOPS[stopReason];
  if (stop.aborted) return err(CANCELLED);
  if (stopReason === 'end_turn') return ok(null);
  return err(
    failure(stopReason || 'no-stop-reason', problem ?? `the turn ended with "${stopReason}"`),
  );
}

const STOPS: Readonly<Record<string, string>> = {
  max_tokens: 'the agent reached its limit of tokens before it was through',
  max_turn_requests: 'the agent reached its limit of requests before it was through',
  refusal: 'the agent refused to go on',
  cancelled: 'the agent cancelled the turn by itself',
};

/** As after SIGTERM. */
const CANCELLED = failure('cancelled', 'it was asked to stop', 143);

type Patience = { readonly limitMs: number | null; readonly graceMs: number };

/** A request and its answer, or why there is none: refused, too late, gone, or we were stopped. */
async function ask(
  { connection, agent, job, stop }: Talk,
  method: string,
  params: object,
  { limitMs, graceMs }: Patience = { limitMs: job.helloMs, graceMs: 0 },
): Promise<Result<Json, Failure>> {
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, problem: Failure): Promise<Result<never, Failure>> =>
    new Promise((resolve) => timers.push(setTimeout(resolve, ms, err(problem))));
  const stopped = new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  const early = async (): Promise<Result<never, Failure>> =>
    err(endedEarly(await agent.ended, method, agent.lastWords()));
  // What it still had to say may be on its way when its end is known.
  const heardOut = (): Promise<unknown> =>
    Promise.race([connection.closed, after(GONE_MS, CANCELLED)]);
  const answer = connection.agent.request(method, params).then(
    (value): Result<Json, Failure> => ok(isJson(value) ? value : {}),
    async (error: unknown): Promise<Result<Json, Failure>> =>
      connection.signal.aborted
        ? Promise.race([early(), after(GONE_MS, silentEnd(method, error))])
        : err(refusedBy(error, method)),
  );
  const settled = await Promise.race([
    answer,
    agent.ended.then(heardOut).then(early),
    stopped.then(() => after(graceMs, CANCELLED)),
    ...(limitMs === null ? [] : [after(limitMs, tooLate(method, limitMs))]),
  ]);
  for (const timer of timers) clearTimeout(timer);
  return settled;
}

const GONE_MS = 2000;

const silentEnd = (during: string, error: unknown): Failure =>
  failure(
    'connection-closed',
    `the agent closed the conversation during ${during}: ${error instanceof Error ? error.message : String(error)}`,
  );

const tooLate = (method: string, ms: number): Failure =>
  failure('no-answer', `the agent did not answer ${method} within ${Math.round(ms / 1000)} s`);
