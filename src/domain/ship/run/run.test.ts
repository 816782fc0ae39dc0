import { describe, expect, test } from 'vitest';
import type { RepositoryMark } from '../plan/plan.ts';
import { decideRun } from './decide-run.ts';
import { evolveRun } from './evolve-run.ts';
import { USUAL_OPTIONS } from './run-options.ts';
import { RUN_STATUSES, type Run, type RunCommand, type RunEvent, type RunOptions } from './run.ts';
import { finishedStage, stageDigest } from './stage-digest.ts';

const OPTIONS: RunOptions = { ...USUAL_OPTIONS, env: ['B', 'A'] };

const opened: RunEvent = {
  type: 'run-opened',
  id: 'run-1',
  plan: 'plan-1',
  planHash: 'h',
  options: OPTIONS,
};

const after = (...events: RunEvent[]): Run =>
  events.reduce((run: Run | null, event, at) => evolveRun(run, event, at), null) ?? never();

const never = (): never => {
  throw new Error('no events');
};

const plain = (text: string): string => text;

const resumed = (fresh: boolean): RunEvent => ({ type: 'run-resumed', options: OPTIONS, fresh });

const ended = (status: 'succeeded' | 'failed'): RunEvent => ({
  type: 'stage-ended',
  lane: null,
  stage: 'rehearse',
  status,
  evidence: {},
});

const COMMANDS: readonly RunCommand[] = [
  { type: 'start' },
  { type: 'resume', options: OPTIONS, fresh: false },
  { type: 'begin-stage', lane: null, stage: 'author', digest: 'd' },
  {
    type: 'await-approval',
    waiting: { approval: 'ap-1', kind: 'open_pr', lane: null },
    summary: '',
  },
  { type: 'go-on' },
  { type: 'rest', status: 'paused', reason: '' },
  { type: 'end', status: 'cancelled', reason: null },
];

test('what may be done to a run in which state', () => {
  const table = RUN_STATUSES.map((status) => {
    const run = { ...after(opened), status };
    const allowed = COMMANDS.filter((command) => decideRun(run, command).ok);
    return `${status}: ${allowed.map(({ type }) => type).join(', ') || '-'}`;
  });
  expect(table).toMatchInlineSnapshot(`
    [
      "pending: start, rest, end",
      "running: begin-stage, await-approval, rest, end",
      "awaiting_approval: start, resume, await-approval, go-on, rest, end",
      "awaiting_fix: resume, end",
      "paused: resume, end",
      "interrupted: resume, end",
      "succeeded: -",
      "rejected: -",
      "rolling_back: rest, end",
      "rolled_back: resume",
      "rollback_failed: resume, end",
      "failed: resume, end",
      "cancelled: -",
    ]
  `);
});

describe('a run and its stages', () => {
  const begun: RunEvent = { type: 'stage-started', lane: 'api', stage: 'rehearse', digest: 'd1' };
  const failed: RunEvent = {
    type: 'stage-ended',
    lane: 'api',
    stage: 'rehearse',
    status: 'failed',
    evidence: { why: 'no' },
  };

  test('a stage that is tried again keeps one row and counts', () => {
    const run = after(opened, { type: 'run-started' }, begun, failed, { ...begun, digest: 'd2' });
    expect(run.stages).toEqual([
      {
        lane: 'api',
        stage: 'rehearse',
        status: 'running',
        digest: 'd2',
        round: 2,
        startedAt: 4,
        endedAt: null,
        evidence: {},
      },
    ]);
  });

  test('what was under way when the run came to rest is interrupted', () => {
    const rested: RunEvent = { type: 'run-rested', status: 'interrupted', reason: 'Ctrl-C' };
    const run = after(opened, { type: 'run-started' }, begun, rested);
    expect(run.status).toBe('interrupted');
    expect(run.stages.map(({ status }) => status)).toEqual(['interrupted']);
  });

  test('a fresh resume forgets the stages, a plain one keeps them', () => {
    const rested: RunEvent = { type: 'run-rested', status: 'paused', reason: '' };
    const before = [opened, { type: 'run-started' }, begun, failed, rested] as const;
    expect(after(...before, resumed(true)).stages).toEqual([]);
    expect(after(...before, resumed(false)).stages).toHaveLength(1);
    expect(after(...before, resumed(false)).status).toBe('pending');
  });
});

describe('DC-40 when a stage need not be repeated', () => {
  const mark: RepositoryMark = {
    sha: 'a',
    committed_at: null,
    branch: 'main',
    git: true,
    prefix: '.',
    remote: null,
    dirty: [],
    dirty_digest: 'clean',
  };
  const given = { stage: 'rehearse', lane: null, mark, planHash: 'h', options: OPTIONS } as const;
  const digest = stageDigest(given, plain);

  test('the order in which variables were named says nothing', () => {
    const options = { ...OPTIONS, env: ['A', 'B'] };
    expect(stageDigest({ ...given, options }, plain)).toBe(digest);
  });

  test.each([
    ['a new commit', { ...given, mark: { ...mark, sha: 'b' } }],
    ['a changed file', { ...given, mark: { ...mark, dirty_digest: 'dirty' } }],
    ['another variable', { ...given, options: { ...OPTIONS, env: ['A'] } }],
    ['another plan', { ...given, planHash: 'i' }],
    ['another way to rehearse', { ...given, options: { ...OPTIONS, realRehearsal: false } }],
    ['another stage', { ...given, stage: 'scan' as const }],
  ])('%s means that it runs again', (_, changed) => {
    expect(stageDigest(changed, plain)).not.toBe(digest);
  });

  test('only a success with the same input counts', () => {
    const begun: RunEvent = { type: 'stage-started', lane: null, stage: 'rehearse', digest };
    const done = after(opened, { type: 'run-started' }, begun, ended('succeeded'));
    const failed = after(opened, { type: 'run-started' }, begun, ended('failed'));
    expect(finishedStage(done, 'rehearse', null, digest)?.status).toBe('succeeded');
    expect(finishedStage(done, 'rehearse', null, 'other')).toBeNull();
    expect(finishedStage(done, 'rehearse', 'api', digest)).toBeNull();
    expect(finishedStage(failed, 'rehearse', null, digest)).toBeNull();
  });
});
