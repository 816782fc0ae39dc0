import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bindingOf } from './binding.ts';
import { take } from './bucket.ts';
import { actorOf, mayCall, mayTouch, TOKEN_ROLES } from './identity.ts';

test('which role may call a route that names which role', () => {
  const named = ['anyone', 'viewer', 'approver', 'manager', 'worker', 'reviewer', 'runner'];
  const rows = TOKEN_ROLES.map((role) =>
    [role, ...named.filter((each) => mayCall(role, [each]))].join(' '),
  );
  expect(rows).toEqual([
    'viewer anyone viewer',
    'approver anyone viewer approver',
    'operator anyone viewer approver manager worker reviewer runner',
    'manager anyone viewer manager',
    'worker anyone worker',
    'reviewer anyone reviewer',
    'runner anyone runner',
  ]);
});

test('only an operator may call a route that names nobody', () => {
  expect(TOKEN_ROLES.filter((role) => mayCall(role, []))).toEqual(['operator']);
});

test('a worker touches its own task only, an operator any', () => {
  expect(mayTouch({ role: 'worker', task: 'web-1' }, 'web-1')).toBe(true);
  expect(mayTouch({ role: 'worker', task: 'web-1' }, 'web-10')).toBe(false);
  expect(mayTouch({ role: 'reviewer', task: null }, 'web-1')).toBe(false);
  expect(mayTouch({ role: 'operator', task: null }, 'web-1')).toBe(true);
});

test('the actor names what tells the holders of a role apart', () => {
  expect(actorOf('worker', 'attempt:a7', 'tok-1')).toBe('worker:a7');
  expect(actorOf('viewer', null, 'wall')).toBe('viewer:wall');
});

test.each([
  ['viewer', null, null, 'ok'],
  ['viewer', 'crew:1', null, 'takes-no-subject'],
  ['operator', null, 'web-1', 'takes-no-task'],
  ['worker', null, null, 'needs-subject'],
  ['worker', 'attempt:', 'web-1', 'needs-subject'],
  ['worker', 'crew:1', 'web-1', 'needs-subject'],
  ['worker', 'attempt:a1', null, 'needs-task'],
  ['worker', 'attempt:a1', 'web-1', 'ok'],
  ['reviewer', 'task:web-1', null, 'ok'],
  ['reviewer', 'task:web-1', 'web-2', 'needs-task'],
  ['manager', 'crew:c1', null, 'ok'],
  ['manager', 'crew:c1', 'web-1', 'takes-no-task'],
  ['runner', 'host:builder', null, 'ok'],
] as const)('a %s for %s and task %s: %s', (role, subject, task, outcome) => {
  const binding = bindingOf(role, subject, task);
  expect(binding.ok ? 'ok' : binding.error.kind).toBe(outcome);
});

test('a bucket never gives more than its burst plus what has flowed in', () => {
  const rate = { burst: 5, perSecond: 2 };
  fc.assert(
    fc.property(fc.array(fc.nat(2000), { minLength: 1, maxLength: 200 }), (pauses) => {
      let bucket;
      let now = 0;
      let given = 0;
      for (const pause of pauses) {
        now += pause;
        const taken = take(bucket, rate, now);
        bucket = taken.bucket;
        if (taken.waitMs === 0) given += 1;
      }
      expect(given).toBeLessThanOrEqual(rate.burst + (now * rate.perSecond) / 1000 + 1e-6);
    }),
  );
});

test('after the wait that was named there is one again, and a clock set back empties nothing', () => {
  const rate = { burst: 1, perSecond: 2 };
  const first = take(undefined, rate, 1000);
  const second = take(first.bucket, rate, 1000);
  expect([first.waitMs, second.waitMs]).toEqual([0, 500]);
  expect(take(second.bucket, rate, 1500).waitMs).toBe(0);
  expect(take(second.bucket, rate, 0).waitMs).toBe(500);
});
