import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  classifyGate,
  failedBefore,
  type GateAnswer,
  type GateResult,
  type GateVerdict,
  judgeGates,
} from './verdict.ts';

const passed: GateResult = {
  exit: 0,
  signal: null,
  timedOut: false,
  spawnError: null,
  testsRan: 12,
  requireTests: true,
  retriesLeft: 0,
};
const red: GateVerdict = { verdict: 'red', exit: 1 };
const green: GateVerdict = { verdict: 'green' };
const killed: GateVerdict = { verdict: 'errored', because: 'killed' };
const untested: GateVerdict = { verdict: 'broken', because: 'no-tests-ran' };

describe('GT-164', () => {
  test.each([
    ['exit 0 with tests', {}, 'green'],
    ['exit 0, no count, none required', { testsRan: null, requireTests: false }, 'green'],
    ['exit 0 and zero tests, none required', { testsRan: 0, requireTests: false }, 'green'],
    ['exit 1', { exit: 1 }, 'red'],
    ['exit 1 without a count: it may not compile', { exit: 1, testsRan: null }, 'red'],
    ['exit 1 with a retry left', { exit: 1, retriesLeft: 1 }, 'errored failed-once'],
    ['exit 127', { exit: 127 }, 'broken missing-tool'],
    ['exit 127 with retries left', { exit: 127, retriesLeft: 2 }, 'broken missing-tool'],
    ['exit 126', { exit: 126 }, 'broken not-executable'],
    ['zero tests where some are required', { testsRan: 0 }, 'broken no-tests-ran'],
    ['zero tests and exit 1', { testsRan: 0, exit: 1 }, 'broken no-tests-ran'],
    ['no count where one is required', { testsRan: null }, 'broken no-tests-ran'],
    ['out of time', { exit: null, signal: 'SIGKILL', timedOut: true }, 'broken timed-out'],
    ['no such program', { exit: null, spawnError: 'ENOENT' }, 'broken missing-tool'],
    ['not allowed to run', { exit: null, spawnError: 'EACCES' }, 'broken not-executable'],
    [
      'no room to start, retry left',
      { exit: null, spawnError: 'EAGAIN', retriesLeft: 1 },
      'errored not-started',
    ],
    ['no room to start', { exit: null, spawnError: 'EAGAIN' }, 'broken not-started'],
    ['killed, retry left', { exit: null, signal: 'SIGKILL', retriesLeft: 1 }, 'errored killed'],
    ['killed inside a shell, retry left', { exit: 137, retriesLeft: 1 }, 'errored killed'],
    ['killed again', { exit: null, signal: 'SIGKILL' }, 'broken killed'],
  ] satisfies [string, Partial<GateResult>, string][])('%s', (_name, facts, expected) => {
    const verdict = classifyGate({ ...passed, ...facts });
    const because = 'because' in verdict ? ` ${verdict.because}` : '';
    expect(`${verdict.verdict}${because}`).toBe(expected);
  });

  test('only a process that ended by itself with zero is green', () => {
    fc.assert(
      fc.property(
        fc.record({
          exit: fc.option(fc.integer({ min: 0, max: 255 })),
          signal: fc.option(fc.constantFrom('SIGKILL', 'SIGTERM')),
          timedOut: fc.boolean(),
          spawnError: fc.option(fc.constantFrom('ENOENT', 'EAGAIN')),
          testsRan: fc.option(fc.nat(3)),
          requireTests: fc.boolean(),
          retriesLeft: fc.nat(2),
        }),
        (result) => {
          const { verdict } = classifyGate(result);
          const ended = result.signal === null && !result.timedOut && result.spawnError === null;
          const untold = result.requireTests && (result.testsRan ?? 0) === 0;
          const mayBe = {
            green: ended && result.exit === 0 && !untold,
            red: ended && ![0, 126, 127, null].includes(result.exit),
            errored: result.retriesLeft > 0,
            broken: true,
          };
          expect(mayBe[verdict]).toBe(true);
        },
      ),
    );
  });
});

describe('several gates', () => {
  test.each([
    ['none', [], green],
    ['all green', [green, green], green],
    ['one red', [green, red], red],
    ['red and not answered: ask again first', [red, killed], killed],
    ['broken hides the rest', [red, killed, untested], untested],
  ] satisfies [string, GateVerdict[], GateVerdict][])('%s', (_name, verdicts, expected) => {
    expect(judgeGates(verdicts)).toEqual(expected);
  });
});

const answer = (gate: string, commit: string, verdict: GateVerdict): GateAnswer => ({
  gate,
  commit,
  verdict,
  log: `${gate} on ${commit}`,
});

describe('GT-165', () => {
  const failure = answer('test', 'merged', red);

  test('the same gate red on the exact target commit shows both logs', () => {
    expect(failedBefore(failure, [answer('test', 'head', red)], 'head')).toEqual({
      gate: 'test',
      target: 'head',
      logs: ['test on merged', 'test on head'],
    });
  });

  test.each([
    ['nothing is known of the target', []],
    ['it failed on an older commit of the target', [answer('test', 'older', red)]],
    ['another gate failed there', [answer('lint', 'head', red)]],
    ['it passed there', [answer('test', 'head', green)]],
    ['it gave no answer there', [answer('test', 'head', untested)]],
  ] satisfies [string, GateAnswer[]][])('not when %s', (_name, answers) => {
    expect(failedBefore(failure, answers, 'head')).toBeNull();
  });

  test('a gate that gave no answer has not failed at all', () => {
    const unanswered = answer('test', 'merged', killed);
    expect(failedBefore(unanswered, [answer('test', 'head', red)], 'head')).toBeNull();
  });
});
