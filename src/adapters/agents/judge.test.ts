import { expect, test } from 'vitest';
import { EMPTY_TRANSCRIPT, type AgentError, type Transcript } from '../../ports/agent.ts';
import type { Ended, Exit } from '../../ports/executor.ts';
import { judge } from './judge.ts';
import { addEvent } from './transcript.ts';

const ended = (how: Exit): Ended => ({
  status: 'exited',
  how,
  at: 0,
  output: { bytes: 0, dropped: 0 },
});
const code = (value: number): Ended => ended({ kind: 'code', code: value });
const plain = (end: Ended, transcript: Transcript = EMPTY_TRANSCRIPT) =>
  judge(end, transcript, { tellsCompletion: false });
const error = (more: Partial<AgentError>): AgentError => ({
  kind: 'error',
  code: 'x',
  message: 'no',
  status: null,
  fatal: true,
  ...more,
});

test.each([
  [code(0), { kind: 'finished', doubts: [] }],
  [code(75), { kind: 'later', message: 'exit 75' }],
  [code(1), { kind: 'failed', reason: 'exit', message: 'exit 1', transient: false }],
  [code(127), { kind: 'failed', reason: 'not-started', transient: false }],
  [
    ended({ kind: 'signal', signal: 'SIGSEGV' }),
    { kind: 'failed', reason: 'signal', message: 'ended by SIGSEGV' },
  ],
  [
    ended({ kind: 'not-started', code: 'ENOENT', message: 'no such program: x' }),
    { kind: 'failed', reason: 'not-started', message: 'no such program: x' },
  ],
  [
    { status: 'lost', because: 'gone' } as const,
    { kind: 'failed', reason: 'lost', transient: true },
  ],
])('%j means %j', (end, expected) => {
  expect(plain(end)).toMatchObject(expected);
});

test('an error it gave up on outweighs exit 0', () => {
  const transcript = addEvent(EMPTY_TRANSCRIPT, error({ status: 500 }));
  expect(plain(code(0), transcript)).toEqual({
    kind: 'failed',
    reason: 'api-error',
    message: 'no (behind exit 0)',
    transient: true,
  });
});

test('an error it got over does not', () => {
  const after = addEvent(addEvent(EMPTY_TRANSCRIPT, error({})), {
    kind: 'note',
    code: 'turn-completed',
    text: '',
  });
  expect(plain(code(0), after)).toEqual({ kind: 'finished', doubts: [] });
});

test('asking for later wins over the error that is the reason for it', () => {
  const transcript = addEvent(EMPTY_TRANSCRIPT, error({ status: 429, message: 'busy' }));
  expect(plain(code(75), transcript)).toEqual({ kind: 'later', message: 'busy' });
});

test('a warning explains an exit code without being the reason', () => {
  const transcript = addEvent(EMPTY_TRANSCRIPT, error({ fatal: false, message: 'hm' }));
  expect(plain(code(2), transcript)).toMatchObject({ reason: 'exit', message: 'exit 2: hm' });
});

test('an agent that always says when it is through is doubted when it does not', () => {
  expect(judge(code(0), EMPTY_TRANSCRIPT, { tellsCompletion: true })).toMatchObject({
    doubts: [{ kind: 'not-completed' }],
  });
});

test('KG-99 a call is open until its result, so that a long tool run is not taken for silence', () => {
  const called = ['a', 'b'].reduce(
    (before, id) => addEvent(before, { kind: 'tool-call', id, tool: 'Bash', target: null }),
    EMPTY_TRANSCRIPT,
  );
  expect(called.openCalls).toEqual(['a', 'b']);
  const answered = addEvent(called, { kind: 'tool-result', id: 'a', outcome: 'ok', text: '' });
  expect(answered.openCalls).toEqual(['b']);
});
