import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { convoyId, repoName } from '../work/ids.ts';
import { afterLook } from './after-look.ts';
import { type Branch, type BranchEvent, evolveBranch, wantBranch } from './branch.ts';
import { inTheWay } from './in-the-way.ts';
import { type Learnt, learnt } from './learn.ts';
import { addressOf } from './address.ts';
import { newTrouble, OFTEN, troubleWords } from './trouble.ts';

const WISH = { repo: repoName('main'), name: 'convoy/a/cv-1/head', convoy: convoyId('cv-1') };

const told = (branch: Branch | null, events: readonly BranchEvent[], at = 1): Branch => {
  const now = events.reduce<Branch | null>((one, event) => evolveBranch(one, event, at), branch);
  if (now === null) throw new Error('nothing happened');
  return now;
};
const wanted = (commit: string, before: Branch | null = null): Branch =>
  told(before, wantBranch(before, { ...WISH, commit }));

test('only the newest commit counts, and saying it twice is no news', () => {
  const one = wanted('a');
  expect(one).toMatchObject({ id: 'main:convoy/a/cv-1/head', status: 'waiting', pushed: null });
  expect(wantBranch(one, { ...WISH, commit: 'a' })).toEqual([]);
  const two = wanted('b', one);
  // The push of the first arrives when the second is wanted already.
  const late = told(two, learnt(two, one, { kind: 'as-wished' }, 0));
  expect(late).toMatchObject({ status: 'waiting', pushed: 'a', last: 'b' });
  const done = told(late, learnt(late, two, { kind: 'as-wished' }, 0));
  expect(done).toMatchObject({ status: 'pushed', pushed: 'b' });
  expect(learnt(done, two, { kind: 'as-wished' }, 0)).toEqual([]);
});

test.each([
  ['waiting', null, false, { do: 'push', expected: null }],
  ['waiting', 'b', true, { do: 'record' }],
  ['waiting', 'a', true, { do: 'push', expected: 'a' }],
  ['waiting', 'x', false, { do: 'leave' }],
  ['leaving', null, false, { do: 'record' }],
  ['leaving', 'a', true, { do: 'remove', expected: 'a' }],
  ['leaving', 'b', true, { do: 'remove', expected: 'b' }],
  ['leaving', 'x', false, { do: 'leave' }],
] as const)('%s, and the remote has %s (ours: %s): %j', (status, there, isOurs, step) => {
  expect(afterLook({ ...wanted('b'), status }, there, isOurs)).toEqual(step);
});

test('somebody else’s commits are said at once and told after a while; a branch that leaves is left', () => {
  const one = wanted('a');
  const [event] = learnt(one, one, { kind: 'foreign' }, 1);
  expect(event).toMatchObject({ type: 'branch-troubled', held: true, repeated: false });
  const troubled = told(one, [event!]);
  expect(learnt(troubled, one, { kind: 'foreign' }, 2)).toEqual([]);
  expect(learnt(troubled, one, { kind: 'foreign' }, OFTEN)).toMatchObject([{ repeated: true }]);
  const leaving = told(one, [{ type: 'branch-unwanted' }]);
  expect(learnt(leaving, leaving, { kind: 'foreign' }, 1)).toMatchObject([{ type: 'branch-left' }]);
  const no: Learnt = { kind: 'refused', detail: 'no' };
  expect(learnt(leaving, leaving, no, 1)).toMatchObject([{ type: 'branch-troubled', held: false }]);
  expect(learnt(leaving, leaving, no, OFTEN)).toMatchObject([{ type: 'branch-left' }]);
});

test('late news about a branch that is wanted again, or no longer, moves nothing', () => {
  const one = wanted('a');
  const leaving = told(one, [{ type: 'branch-unwanted' }]);
  const again = wanted('a', leaving);
  expect(again.status).toBe('waiting');
  expect(learnt(again, leaving, { kind: 'as-wished' }, 0)).toEqual([]);
  expect(learnt(again, leaving, { kind: 'foreign' }, 9)).toEqual([]);
  const pushed = told(leaving, learnt(leaving, one, { kind: 'as-wished' }, 0));
  expect(pushed).toMatchObject({ status: 'leaving', pushed: 'a' });
});

const anyEvent: fc.Arbitrary<BranchEvent> = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map((commit) => ({ type: 'branch-wanted', ...WISH, commit })),
  fc.constantFrom('a', 'b', 'c').map((commit) => ({ type: 'branch-pushed', commit })),
  fc.constantFrom<BranchEvent>(
    { type: 'branch-unwanted' },
    { type: 'branch-removed' },
    { type: 'branch-left', reason: 'r' },
    { type: 'branch-troubled', reason: 'r', held: false, repeated: true },
  ),
) as fc.Arbitrary<BranchEvent>;

test('whatever happens, pushed means that its newest commit is there', () => {
  fc.assert(
    fc.property(fc.array(anyEvent), (events) => {
      const branch = told(wanted('a'), events);
      expect(branch.status === 'pushed').toBe(
        branch.pushed === branch.last && ['pushed', 'waiting'].includes(branch.status),
      );
    }),
  );
});

test('the same trouble is said once, told once, and keeps its age', () => {
  const down = { reason: 'origin cannot be reached', held: false };
  expect(newTrouble(null, down, 1)).toEqual({ ...down, repeated: false });
  const known = { ...down, repeated: false, since: 5 };
  expect(newTrouble(known, down, 2)).toBeNull();
  expect(newTrouble(known, down, OFTEN)).toEqual({ ...down, repeated: true });
  const repeated = { ...known, repeated: true };
  expect(newTrouble(repeated, down, 99)).toBeNull();
  // A new engine counts from one again.
  expect(newTrouble(repeated, down, 1)).toBeNull();
  const other = { reason: 'origin does not let us in', held: false };
  expect(newTrouble(repeated, other, 1)).toEqual({ ...other, repeated: true });
});

test.each([
  [
    "fatal: could not read Username for 'http://127.0.0.1:4711': terminal prompts disabled",
    'origin does not accept our credentials',
  ],
  ['git@github.com: Permission denied (publickey).', 'origin does not accept our credentials'],
  [
    "fatal: unable to access 'http://h/x/': The requested URL returned error: 403",
    'origin does not let us in',
  ],
  [
    "fatal: unable to access 'http://h/x/': The requested URL returned error: 503",
    'origin answers with an error of its own',
  ],
  [
    "fatal: unable to access 'http://h:1/': Failed to connect to h port 1 after 3 ms: Couldn't connect",
    'origin cannot be reached',
  ],
  ['ssh: connect to host h port 22: Connection refused', 'origin cannot be reached'],
  ["fatal: repository 'http://h/x/' not found", 'there is no such repository at origin'],
  ['exit 128: fatal: early EOF', 'origin gives no answer: early EOF'],
  ['', 'origin gives no answer'],
])('git’s %j in words: %s', (detail, words) => {
  expect(troubleWords('remote_down', detail)).toBe(words);
});

test('time that ran out is said as such', () => {
  expect(troubleWords('timed_out', '')).toBe('origin does not answer in time');
});

test('an address is written down without its secret', () => {
  expect(addressOf('https://me:hunter22@host/x.git')).toBe('https://host/x.git');
  expect(addressOf('https://token@host/x.git')).toBe('https://host/x.git');
  expect(addressOf('ssh://git@host:22/x.git')).toBe('ssh://host:22/x.git');
  expect(addressOf('git@host:x.git')).toBe('git@host:x.git');
  expect(addressOf('/srv/x@y.git')).toBe('/srv/x@y.git');
});

test('what leaves no room for a name: the folder, those above it and all inside; nothing beside it', () => {
  const names = [
    'convoy',
    'convoy/a',
    'convoy/a/cv-1',
    'convoy/a/cv-1/head',
    'convoy/a/cv-1/task/x-1',
    'convoy/a/cv-2/head',
    'convoy/a-2/cv-1/head',
    'convoy/ab',
    'main',
  ].map((name) => ({ name }));
  expect(inTheWay('convoy/a/cv-1/head', names).map(({ name }) => name)).toEqual([
    'convoy',
    'convoy/a',
    'convoy/a/cv-1',
    'convoy/a/cv-1/head',
    'convoy/a/cv-1/task/x-1',
  ]);
});
