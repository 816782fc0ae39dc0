import { expect, test } from 'vitest';
import { hasShownSigns, judgeWorker } from './worker-evidence.ts';

const any = { markers: [], heartbeat: null, mayEnd: false };
const alive = (log: string) => ({ log, aliveMs: 2000, ended: null });
const ended = (exit: number) => ({ log: 'job done', aliveMs: 100, ended: { exit, signal: null } });

test('DC-24 trouble in a line takes its value as a sign of life', () => {
  expect(judgeWorker(any, alive('connected to the queue')).status).toBe('healthy');
  expect(judgeWorker(any, alive('error: worker queue refused')).status).toBe('no-evidence');
  expect(judgeWorker(any, alive('')).status).toBe('no-evidence');
});

test('DC-24 named markers must all be there', () => {
  const signs = { ...any, markers: ['ready', 'subscribed'] };
  expect(judgeWorker(signs, alive('ready\nsubscribed')).status).toBe('healthy');
  expect(judgeWorker(signs, alive('ready'))).toMatchObject({
    status: 'breach',
    breaches: [{ message: 'after 2 s its output does not show: subscribed' }],
  });
});

test('a heartbeat shows itself only when it repeats', () => {
  const signs = { ...any, markers: ['up'], heartbeat: 'beat' };
  expect(hasShownSigns(signs, 'up beat')).toBe(false);
  expect(hasShownSigns(signs, 'up beat beat')).toBe(true);
});

test('an end is a failure unless it is the job and went well', () => {
  expect(judgeWorker(any, ended(0)).status).toBe('failed');
  expect(judgeWorker({ ...any, mayEnd: true }, ended(0)).status).toBe('healthy');
  expect(judgeWorker({ ...any, mayEnd: true }, ended(2)).status).toBe('failed');
});
