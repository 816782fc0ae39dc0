import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AcpSettings } from '../../src/adapters/agents/acp/acp-agent.ts';
import type { Assignment } from '../../src/ports/agent.ts';
import type { FakePlan, Step } from '../fakes/acp-agent/step.ts';
import { fakeAcp } from './acp-rig.ts';
import { type AgentRig, type Finished, idOf, openAgentRig } from './rig.ts';

let rig: AgentRig;
beforeEach(async () => {
  rig = await openAgentRig();
});
afterEach(() => rig.close());

async function converse(
  plan: FakePlan,
  settings: Partial<AcpSettings> = {},
  more: Partial<Assignment> = {},
): Promise<Finished> {
  const { agent, assignment } = await fakeAcp(rig, plan, settings, more);
  await rig.start(agent, assignment);
  return rig.finish(agent, assignment);
}

const play = (...steps: Step[]): Promise<Finished> => converse({ steps });
const inWorktree = (file: string): string => join(rig.worktree, file);

test('a conversation streams plan, thoughts, messages and usage, and its work is committed', async () => {
  const { judged, transcript, events } = await play(
    {
      do: 'plan',
      entries: [
        ['look', 'completed'],
        ['write', 'pending'],
      ],
    },
    { do: 'think', text: 'a function will do' },
    { do: 'write', path: 'greet.ts', content: 'export const greet = 1;\n' },
    { do: 'commit', message: 'Greet' },
    { do: 'usage', used: 120, usd: 0.5 },
    { do: 'say', text: 'greet.ts is there.' },
  );
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
  expect(events).toContainEqual({ kind: 'note', code: 'text', text: 'plan: [x] look; [ ] write' });
  expect(events).toContainEqual({ kind: 'message', text: 'a function will do', thinking: true });
  expect(transcript).toMatchObject({
    lastMessage: 'greet.ts is there.',
    tokens: { input: 120, output: 0 },
    costUsd: 0.5,
    completed: true,
  });
  expect(transcript.session).toMatch(/^fake-\d+$/);
  expect(await rig.git('log', '--format=%s', '-1')).toBe('Greet');
});

test("Convoy's own tools are offered with the session, for this attempt's token only", async () => {
  const { transcript } = await converse(
    { steps: [{ do: 'servers' }] },
    { mcp: ['/usr/bin/node', '/convoy.js', 'mcp'] },
  );
  expect(JSON.parse(transcript.lastMessage)).toEqual([
    {
      name: 'convoy',
      command: '/usr/bin/node',
      args: ['/convoy.js', 'mcp'],
      env: [
        { name: 'CONVOY_URL', value: 'http://127.0.0.1:9' },
        { name: 'CONVOY_TOKEN', value: 'tok-attempt' },
      ],
    },
  ]);
  const none = await play({ do: 'servers' });
  expect(none.transcript.lastMessage).toBe('[]');
});

test('inside the worktree the answer is yes, for this once', async () => {
  const { judged, transcript, output } = await play({ do: 'ask', kind: 'edit', path: 'src/a.ts' });
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
  expect(await readFile(inWorktree('src/a.ts'), 'utf8')).toBe('asked first\n');
  expect(transcript.toolResults).toEqual({ ok: 1, failed: 0, refused: 0 });
  expect(output).toContain('"answer":"allowed"');
});

test('outside the worktree the answer is no, also through a link and in the input of a tool', async () => {
  await symlink(rig.place, inWorktree('out'));
  const { judged, transcript } = await play(
    { do: 'ask', kind: 'edit', path: join(rig.place, 'a') },
    { do: 'ask', kind: 'edit', path: 'out/b' },
    { do: 'ask', kind: 'other', input: { file_path: '../c' } },
    { do: 'ask', kind: 'edit' },
    { do: 'ask', kind: 'switch_mode' },
  );
  expect(transcript.toolResults).toEqual({ ok: 0, failed: 0, refused: 5 });
  expect(transcript.openCalls).toEqual([]);
  expect(existsSync(join(rig.place, 'a')) || existsSync(join(rig.place, 'b'))).toBe(false);
  expect(judged).toMatchObject({ kind: 'finished', doubts: [{ kind: 'tools-refused' }] });
});

test('a command may run; nothing may when everything is denied', async () => {
  const asks: Step[] = [
    { do: 'ask', kind: 'execute', input: { command: 'npm test' } },
    { do: 'ask', kind: 'edit', path: 'a' },
    { do: 'fs-write', path: 'b', content: 'x' },
  ];
  const free = await converse({ steps: asks });
  expect(free.transcript.toolResults).toEqual({ ok: 2, failed: 0, refused: 0 });
  const denied = await converse({ steps: asks }, { permissions: 'deny' });
  expect(denied.transcript.toolResults).toEqual({ ok: 0, failed: 0, refused: 3 });
});

test('an agent that offers only a lasting yes gets none', async () => {
  const { transcript } = await play({
    do: 'ask',
    kind: 'edit',
    path: 'a',
    options: ['allow_always', 'reject_once'],
  });
  expect(transcript.refusals[0]?.text).toContain('it offers no yes for this once');
});

test('files are served inside the worktree only', async () => {
  await writeFile(join(rig.place, 'secret'), 'hidden');
  const { events, transcript } = await play(
    { do: 'fs-write', path: 'deep/er/f.txt', content: 'one\ntwo\nthree\n' },
    { do: 'fs-read', path: 'deep/er/f.txt', line: 2, limit: 1 },
    { do: 'think', text: '-' },
    { do: 'fs-read', path: '../secret' },
    { do: 'think', text: '-' },
    { do: 'fs-write', path: '../secret', content: 'gone' },
    { do: 'think', text: '-' },
    { do: 'fs-write', path: '.git', content: 'gone' },
    { do: 'think', text: '-' },
    { do: 'fs-read', path: 'nothing' },
  );
  const said = events.flatMap((event) =>
    event.kind === 'message' && !event.thinking ? [event.text] : [],
  );
  expect(said[0]).toBe('two');
  expect(said.slice(1, 4).join(' ')).toMatch(/outside.*outside.*outside/s);
  expect(said[4]).toContain('not found');
  expect(await readFile(join(rig.place, 'secret'), 'utf8')).toBe('hidden');
  expect(await readFile(inWorktree('deep/er/f.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  expect(transcript.toolResults.refused).toBe(2);
});

test('what a newer protocol may bring is survived', async () => {
  const { judged, transcript } = await play({ do: 'strange' });
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
  expect(transcript.lastMessage).toContain('not found');
});

test('what is printed besides the protocol is kept as text', async () => {
  const { judged, events } = await play(
    { do: 'print', text: 'Update available!' },
    { do: 'complain', text: 'deprecated' },
  );
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
  expect(events).toContainEqual({ kind: 'note', code: 'text', text: 'Update available!' });
  expect(events).toContainEqual({ kind: 'note', code: 'text', text: 'deprecated' });
});

test('a line on standard error cannot pass for one of ours', async () => {
  const { judged } = await play(
    { do: 'complain', text: '{"type":"end","stopReason":"end_turn"}' },
    { do: 'crash', code: 9 },
  );
  expect(judged).toMatchObject({ kind: 'failed', reason: 'agent-error' });
});

const FAILURES: [string, FakePlan, object][] = [
  [
    'ends before it says hello',
    { steps: [], hello: 'exit' },
    { reason: 'agent-error', message: /ended with exit 3 during initialize: no such model/ },
  ],
  [
    'speaks another version',
    { steps: [], version: 99 },
    { reason: 'agent-error', message: /version 99 of the protocol, we speak 1/ },
  ],
  [
    'says hello with garbage and nothing else',
    { steps: [], hello: 'garbage' },
    { reason: 'agent-error', message: /did not answer initialize within 1 s/ },
  ],
  [
    'does not say hello',
    { steps: [], hello: 'hang' },
    { reason: 'agent-error', message: /did not answer initialize within 1 s/ },
  ],
  [
    'crashes in the middle',
    {
      steps: [
        { do: 'say', text: 'hm' },
        { do: 'crash', code: 17 },
      ],
    },
    { reason: 'agent-error', message: /ended with exit 17 during session\/prompt/ },
  ],
  [
    'is killed in the middle',
    { steps: [{ do: 'crash', signal: 'SIGKILL' }] },
    { reason: 'agent-error', message: /ended with SIGKILL/ },
  ],
  [
    'cannot reach its model',
    { steps: [{ do: 'fail', message: 'API Error: 529 overloaded' }] },
    { reason: 'api-error', transient: true, message: /529/ },
  ],
  [
    'tells its trouble in the details',
    { steps: [{ do: 'fail', message: 'Internal error', data: { details: 'HTTP 401' } }] },
    { reason: 'api-error', transient: false, message: /HTTP 401/ },
  ],
  [
    'names an error of its model without a status',
    { steps: [{ do: 'fail', message: 'overloaded', data: { errorName: 'APIError' } }] },
    { reason: 'api-error', transient: false, message: /overloaded/ },
  ],
  [
    'reaches its limit',
    { steps: [{ do: 'stop', reason: 'max_turn_requests' }] },
    { reason: 'agent-error', message: /limit of requests/ },
  ],
  [
    'refuses',
    { steps: [{ do: 'stop', reason: 'refusal' }] },
    { reason: 'agent-error', message: /refused to go on/ },
  ],
  [
    'wants a person to log in',
    { steps: [], login: ['browser'] },
    { reason: 'agent-error', message: /log in with the agent itself first \(it offers browser\)/ },
  ],
];

test.each(FAILURES)('an agent that %s has failed, and says how', async (_, plan, expected) => {
  const quick = plan.hello === 'garbage' || plan.hello === 'hang' ? { helloMs: 1000 } : {};
  const { judged } = await converse(plan, quick);
  const { message, ...rest } = { message: /./, ...expected };
  expect(judged).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(message),
    ...rest,
  });
});

test('an agent that asks for later gets it, and a program that is not there is not started', async () => {
  const later = await converse({ steps: [], hello: 'later' });
  expect(later.judged).toEqual({ kind: 'later', message: 'come back at noon' });
  const missing = await converse({ steps: [] }, { command: ['/nowhere/agent'] });
  expect(missing.judged).toMatchObject({
    kind: 'failed',
    reason: 'not-started',
    message: expect.stringContaining('/nowhere/agent'),
  });
});

test('an agent with a key in its environment is told to use it', async () => {
  const { judged } = await converse({ steps: [], login: ['browser', 'fake-api-key'] });
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
});

test.each(['garbage', 'updates', 'stderr'] as const)('a flood of %s drowns nothing', async (as) => {
  const { judged, transcript } = await play(
    { do: 'flood', lines: 20_000, as },
    { do: 'say', text: 'still here' },
  );
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
  expect(transcript.lastMessage).toBe('still here');
});

test('a session is continued by its id; what it repeats does not count again', async () => {
  const sessions = join(rig.place, 'sessions.json');
  const first = await converse({
    steps: [{ do: 'say', text: 'one' }, { do: 'crash' }],
    sessions,
  });
  const { session } = first.transcript;
  expect(session).not.toBeNull();
  const second = await converse(
    { steps: [{ do: 'usage', used: 200, usd: 1.25 }], sessions },
    {},
    { session: session ?? '', prompt: 'go on' },
  );
  expect(second.judged).toEqual({ kind: 'finished', doubts: [] });
  expect(second.transcript).toMatchObject({ session, costUsd: 0.25 });
  const kept: unknown = JSON.parse(await readFile(sessions, 'utf8'));
  expect(kept).toEqual({ [session ?? '']: [expect.any(String), expect.stringContaining('go on')] });
});

test('where a session cannot be continued, a new one is begun', async () => {
  const unable = await converse({ steps: [] }, {}, { session: 'old' });
  expect(unable.judged).toEqual({ kind: 'finished', doubts: [] });
  expect(unable.transcript.session).toMatch(/^fake-/);
  expect(unable.output).toContain('session old is not continued: the agent cannot');
  const unknown = await converse(
    { steps: [], sessions: join(rig.place, 'none.json') },
    {},
    { session: 'old' },
  );
  expect(unknown.judged).toEqual({ kind: 'finished', doubts: [] });
  expect(unknown.output).toContain('session old is not continued');
});

test.each([false, true])(
  'stopping cancels the turn; the session is known (deaf: %s)',
  async (ignoreTerm) => {
    const { agent, assignment } = await fakeAcp(rig, {
      steps: [
        { do: 'write', path: 'begun', content: '' },
        { do: 'say', text: 'begun' },
        { do: 'hang', ignoreTerm },
      ],
    });
    await rig.start(agent, assignment);
    for await (const _ of rig.executor.follow(idOf(assignment), 0, AbortSignal.timeout(30_000)))
      if (existsSync(inWorktree('begun'))) break;
    const { left } = await rig.executor.stop(idOf(assignment), { graceMs: 8000 });
    expect(left).toBe(0);
    const { judged, transcript, output } = await rig.finish(agent, assignment);
    expect(judged).toMatchObject({ kind: 'failed', message: 'exit 143: it was asked to stop' });
    expect(transcript.session).toMatch(/^fake-/);
    expect(output.includes('"stopReason":"cancelled"')).toBe(!ignoreTerm);
  },
);
