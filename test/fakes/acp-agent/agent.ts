import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  agent,
  type AgentContext,
  methods,
  ndJsonStream,
  type PermissionOption,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { FakePlan, Step } from './step.ts';

/** An agent that speaks ACP and does what a file says: `node agent.ts plan.json`. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by a test
const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as FakePlan;

type Turn = {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly cwd: string;
  readonly cancelled: Promise<void>;
  readonly count: { calls: number };
};

let cwd = process.cwd();
let servers: readonly unknown[] = [];
let isLoggedIn = plan.login === undefined;
const cancel = Promise.withResolvers<undefined>();

if (plan.hello === 'exit') {
  process.stderr.write('no such model\n');
  process.exitCode = 3;
} else if (plan.hello === 'later') {
  process.stderr.write('come back at noon\n');
  process.exitCode = 75;
} else if (plan.hello === 'hang') setInterval(() => {}, 60_000);
else if (plan.hello === 'garbage') {
  process.stdout.write('Welcome!\n{"not": "a message"}\n{broken\n[1,2]\n');
  setInterval(() => {}, 60_000);
} else serve();

function serve(): void {
  agent({ name: 'fake' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: plan.version ?? PROTOCOL_VERSION,
      agentInfo: { name: 'fake', version: '1' },
      agentCapabilities: { loadSession: plan.sessions !== undefined },
      authMethods: (plan.login ?? []).map((id) => ({ id, name: id })),
    }))
    .onRequest(methods.agent.authenticate, () => {
      isLoggedIn = true;
      return {};
    })
    .onRequest(methods.agent.session.new, ({ params }) => {
      if (!isLoggedIn) throw RequestError.authRequired();
      ({ cwd, mcpServers: servers } = params);
      return { sessionId: `fake-${process.pid}` };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      ({ cwd } = params);
      const { sessionId } = params;
      const kept = heardBefore(sessionId);
      if (kept === null) throw RequestError.resourceNotFound(sessionId);
      for (const text of kept) {
        const content = { type: 'text', text } as const;
        const update: SessionUpdate = { sessionUpdate: 'user_message_chunk', content };
        await client.notify(methods.client.session.update, { sessionId, update });
      }
      await tell({ client, sessionId }, usage(100, 1));
      return {};
    })
    .onNotification(methods.agent.session.cancel, () => cancel.resolve(undefined))
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const { sessionId } = params;
      keep(sessionId, JSON.stringify(params.prompt));
      const cancelled = cancel.promise;
      return { stopReason: await play({ client, sessionId, cwd, cancelled, count: { calls: 0 } }) };
    })
    .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
}

async function play(turn: Turn): Promise<StopReason> {
  for (const step of plan.steps) {
    if (step.do === 'stop') return step.reason;
    if (step.do === 'hang') {
      // Also after SIGTERM, so that it can tell its client that it stopped.
      process.on('SIGTERM', () => {});
      if (step.ignoreTerm === true) await new Promise(() => setInterval(() => {}, 60_000));
      await turn.cancelled;
      return 'cancelled';
    }
    await acts(turn, step);
  }
  return 'end_turn';
}

const PROMPTED = 'in_progress';

async function acts(turn: Turn, step: Step): Promise<void> {
  switch (step.do) {
    case 'say':
    case 'think':
      return say(turn, step.do, step.text);
    case 'servers':
      return say(turn, 'say', JSON.stringify(servers));
    case 'print':
      return void process.stdout.write(`${step.text}\n`);
    case 'complain':
      return void process.stderr.write(`${step.text}\n`);
    case 'plan':
      return tell(turn, {
        sessionUpdate: 'plan',
        entries: step.entries.map(([content, status]) => ({ content, status, priority: 'medium' })),
      });
    case 'usage':
      return tell(turn, usage(step.used, step.usd));
    case 'write':
      return put(resolve(turn.cwd, step.path), step.content);
    case 'ask':
      return ask(turn, step);
    case 'commit':
      return commit(turn, step.message);
    case 'strange':
      return strange(turn);
    default:
      return more(turn, step);
  }
}

async function more(turn: Turn, step: Step): Promise<void> {
  const path = 'path' in step && step.path !== undefined ? resolve(turn.cwd, step.path) : '';
  const { client, sessionId } = turn;
  switch (step.do) {
    case 'fs-write':
      await client
        .request(methods.client.fs.writeTextFile, { sessionId, path, content: step.content })
        .catch((error: Error) => say(turn, 'say', error.message));
      return;
    case 'fs-read': {
      const { line, limit } = step;
      const read = await client
        .request(methods.client.fs.readTextFile, {
          sessionId,
          path,
          line: line ?? null,
          limit: limit ?? null,
        })
        .catch((error: Error) => ({ content: error.message }));
      return say(turn, 'say', read.content);
    }
    case 'flood':
      return flood(turn, step.lines, step.as);
    case 'crash':
      if (step.signal !== undefined) process.kill(process.pid, step.signal);
      return process.exit(step.code ?? 1);
    case 'fail':
      throw new RequestError(-32_603, step.message, step.data);
    default:
  }
}

async function ask(turn: Turn, step: Extract<Step, { do: 'ask' }>): Promise<void> {
  const { client, sessionId } = turn;
  turn.count.calls += 1;
  const toolCallId = `call-${turn.count.calls}`;
  const path = step.path === undefined ? null : resolve(turn.cwd, step.path);
  await tell(turn, {
    sessionUpdate: 'tool_call',
    toolCallId,
    title: `${step.kind} ${step.path ?? 'something'}`,
    kind: step.kind,
    status: PROMPTED,
    ...(path === null ? {} : { locations: [{ path }] }),
    rawInput: step.input ?? {},
  });
  const kinds = step.options ?? (['allow_always', 'allow_once', 'reject_once'] as const);
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId },
    options: kinds.map((kind): PermissionOption => ({ kind, optionId: `id-${kind}`, name: kind })),
  });
  const may = outcome.outcome === 'selected' && outcome.optionId === 'id-allow_once';
  if (may && path !== null) put(path, 'asked first\n');
  await tell(turn, {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: may ? 'completed' : 'failed',
  });
}

/** Not the literal, whose type knows only the updates of today. */
const UPDATE: string = methods.client.session.update;

/** A newer protocol, as far as we can tell: an update, a notification and a request nobody knows. */
async function strange({ client, sessionId }: Turn): Promise<void> {
  const update = { sessionUpdate: 'telepathy', strength: 9 };
  await client.notify(UPDATE, { sessionId, update });
  await client.notify('session/whisper', { sessionId });
  const answer = await client.request('session/sing', { sessionId }).catch((error: Error) => error);
  await say({ client, sessionId }, 'say', answer instanceof Error ? answer.message : 'it sang');
}

type Speaker = Pick<Turn, 'client' | 'sessionId'>;

async function say(turn: Speaker, how: 'say' | 'think', text: string): Promise<void> {
  const sessionUpdate = how === 'say' ? 'agent_message_chunk' : 'agent_thought_chunk';
  // In pieces, as models do.
  for (const piece of text.match(/.{1,4}/gs) ?? [])
    await tell(turn, { sessionUpdate, content: { type: 'text', text: piece } });
}

const tell = ({ client, sessionId }: Speaker, update: SessionUpdate): Promise<void> =>
  client.notify(methods.client.session.update, { sessionId, update });

const usage = (used: number, amount: number): SessionUpdate => ({
  sessionUpdate: 'usage_update',
  used,
  size: 1000,
  cost: { amount, currency: 'USD' },
});

async function flood(
  turn: Turn,
  lines: number,
  as: 'garbage' | 'updates' | 'stderr',
): Promise<void> {
  const line = `${'x'.repeat(99)}\n`;
  for (let n = 0; n < lines; n += 1) {
    if (as === 'updates') await say(turn, 'think', 'hm.\n');
    else writeAll(as === 'garbage' ? 1 : 2, line);
  }
}

function writeAll(fd: number, text: string): void {
  for (let at = 0; at < text.length;) {
    try {
      at += writeSync(fd, text.slice(at));
    } catch {
      // The pipe is full; whoever reads it will make room.
    }
  }
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function commit(turn: Turn, message: string): void {
  const who = ['-c', 'user.name=Fake', '-c', 'user.email=fake@fake.invalid'];
  execFileSync('git', ['add', '-A'], { cwd: turn.cwd });
  execFileSync('git', [...who, 'commit', '-q', '-m', message], { cwd: turn.cwd });
}

function heardBefore(session: string): string[] | null {
  if (plan.sessions === undefined || !existsSync(plan.sessions)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written below
  const all = JSON.parse(readFileSync(plan.sessions, 'utf8')) as Record<string, string[]>;
  return all[session] ?? null;
}

function keep(session: string, prompt: string): void {
  if (plan.sessions === undefined) return;
  const before = heardBefore(session) ?? [];
  writeFileSync(plan.sessions, JSON.stringify({ [session]: [...before, prompt] }));
}
