import { expect, test } from 'vitest';
import { retryingClashes } from './clashes.ts';

const failure = (code: string, more: object = {}): Error =>
  Object.assign(new Error(code), { code, ...more });

const sameVersion = failure('23505', {
  constraint: 'event_subject_version',
  detail: 'Key (subject, version)=(task/a, b, 2) already exists.',
});

/** Fails with each error in turn, then answers; keeps what it was told. */
function failing(...errors: Error[]): { run: typeof attempt; queues: (string | null)[] } {
  const queues: (string | null)[] = [];
  const attempt = async (queue: string | null): Promise<string> => {
    queues.push(queue);
    const error = errors[queues.length - 1];
    if (error !== undefined) throw error;
    return 'done';
  };
  return { run: attempt, queues };
}

test('a clash on a subject is tried again, in the queue of that subject', async () => {
  const { run, queues } = failing(sameVersion, sameVersion);
  expect(await retryingClashes(run)).toBe('done');
  expect(queues).toEqual([null, 'clash task/a, b', 'clash task/a, b']);
});

test.each(['40001', '40P01'])('bad luck (%s) is tried again', async (code) => {
  const { run, queues } = failing(failure(code));
  expect(await retryingClashes(run)).toBe('done');
  expect(queues).toEqual([null, null]);
});

test('a writer that always clashes gives up after twenty rounds', async () => {
  const { run, queues } = failing(...Array.from({ length: 50 }, () => sameVersion));
  await expect(retryingClashes(run)).rejects.toBe(sameVersion);
  expect(queues).toHaveLength(20);
});

test('another row in the way is looked at once more, then told', async () => {
  const other = failure('23505', { constraint: 'meta_pkey' });
  const { run, queues } = failing(other, other, other);
  await expect(retryingClashes(run)).rejects.toBe(other);
  expect(queues).toHaveLength(2);
});

test('any other failure is told at once', async () => {
  const { run, queues } = failing(new Error('bug'));
  await expect(retryingClashes(run)).rejects.toThrow('bug');
  expect(queues).toHaveLength(1);
});
