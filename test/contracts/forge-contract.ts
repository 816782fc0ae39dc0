import { describe, expect, test } from 'vitest';
import type { Forge } from '../../src/ports/forge.ts';

/** What a suite needs from the world behind a forge. */
export type ForgeWorld = {
  readonly forge: Forge;
  /** The same repository with a token that nobody knows. */
  readonly stranger: Forge;
  /** Makes a branch with one commit on top of main; its commit. */
  readonly branch: (name: string, file?: string) => string;
  readonly head: (branch: string) => string | null;
  readonly tree: (revision: string) => string;
  /** People. */
  readonly approve: (number: number) => void;
  readonly requestChanges: (number: number) => void;
  readonly check: (number: number, name: string, conclusion: 'success' | 'failure' | null) => void;
  readonly closeByHand: (number: number) => void;
  readonly mergeByHand: (number: number) => string;
  readonly protect: () => void;
  /** The next answer is lost after the work is done. */
  readonly loseNextAnswer: () => void;
  readonly limitUntil: (seconds: number) => void;
};

const wish = (branch: string) => ({ branch, base: 'main', title: 'One', body: 'Why' });

/* oxlint-disable max-lines-per-function -- one suite */

/** The promises of every forge. */
export function forgeContract(name: string, open: () => Promise<ForgeWorld>): void {
  describe(`${name} keeps the promises of a forge`, () => {
    test('a pull request is created, found by its branch and read', async () => {
      const { forge, branch } = await open();
      const head = branch('a');
      expect(await forge.find('a')).toEqual({ ok: true, value: null });
      const made = await forge.create(wish('a'));
      expect(made).toMatchObject({
        ok: true,
        value: { state: 'open', head, base: 'main', body: 'Why', mergeCommit: null },
      });
      const number = made.ok ? made.value.number : 0;
      expect(await forge.find('a')).toEqual(made);
      expect(await forge.read(number)).toMatchObject({
        ok: true,
        value: {
          state: 'open',
          mergeable: true,
          review: 'none',
          checks: { state: 'none' },
          blocked: null,
        },
      });
    });

    test('a second one of the same branch is refused, never made', async () => {
      const { forge, branch } = await open();
      branch('a');
      await forge.create(wish('a'));
      expect(await forge.create(wish('a'))).toMatchObject({
        ok: false,
        error: { kind: 'invalid' },
      });
    });

    test('an answer that was lost leaves something that can be found again', async () => {
      const { forge, branch, loseNextAnswer } = await open();
      branch('a');
      loseNextAnswer();
      expect(await forge.create(wish('a'))).toMatchObject({
        ok: false,
        error: { kind: 'unreachable' },
      });
      expect(await forge.find('a')).toMatchObject({ ok: true, value: { state: 'open' } });
    });

    test.for(['merge', 'squash', 'rebase'] as const)(
      '%s puts the work on the base',
      async (strategy) => {
        const { forge, branch, head, tree } = await open();
        const work = branch('a');
        const made = await forge.create(wish('a'));
        const number = made.ok ? made.value.number : 0;
        const merged = await forge.merge(number, {
          head: work,
          strategy,
          title: 'One',
          message: '',
        });
        const commit = merged.ok ? merged.value.commit : '';
        expect(head('main')).toBe(commit);
        expect(tree(commit)).toBe(tree(work));
        expect(await forge.read(number)).toMatchObject({
          ok: true,
          value: { state: 'merged', mergeCommit: commit },
        });
        // Asked once more after a lost answer, it says what was done.
        expect(
          await forge.merge(number, { head: work, strategy, title: 'One', message: '' }),
        ).toEqual({ ok: true, value: { commit } });
      },
    );

    test('a head that moved is not merged', async () => {
      const { forge, branch, head } = await open();
      const before = branch('a');
      const made = await forge.create(wish('a'));
      branch('a', 'more.txt');
      const base = head('main');
      expect(
        await forge.merge(made.ok ? made.value.number : 0, {
          head: before,
          strategy: 'merge',
          title: 'One',
          message: '',
        }),
      ).toMatchObject({
        ok: false,
        error: { kind: 'not_mergeable', because: 'head_moved' },
      });
      expect(head('main')).toBe(base);
    });

    test('a protected base says so, before and at the merge', async () => {
      const { forge, branch, protect, approve } = await open();
      const head = branch('a');
      protect();
      const made = await forge.create(wish('a'));
      const number = made.ok ? made.value.number : 0;
      const state = await forge.read(number);
      expect(state.ok && state.value.blocked).toContain('required');
      const again = { head, strategy: 'merge', title: 'One', message: '' } as const;
      expect(await forge.merge(number, again)).toMatchObject({
        ok: false,
        error: { kind: 'not_mergeable', because: 'protected' },
      });
      approve(number);
      expect((await forge.merge(number, again)).ok).toBe(true);
    });

    test('a conflict says so', async () => {
      const { forge, branch, mergeByHand } = await open();
      branch('a', 'same.txt');
      const other = branch('b', 'same.txt');
      const [a, b] = [await forge.create(wish('a')), await forge.create(wish('b'))];
      mergeByHand(a.ok ? a.value.number : 0);
      expect(
        await forge.merge(b.ok ? b.value.number : 0, {
          head: other,
          strategy: 'merge',
          title: 'b',
          message: '',
        }),
      ).toMatchObject({
        ok: false,
        error: { kind: 'not_mergeable', because: 'conflict' },
      });
    });

    test('the last word of a reviewer and every check count', async () => {
      const { forge, branch, approve, requestChanges, check } = await open();
      branch('a');
      const made = await forge.create(wish('a'));
      const number = made.ok ? made.value.number : 0;
      const seen = async () => {
        const state = await forge.read(number);
        return state.ok ? [state.value.review, state.value.checks.state] : [state.error.kind];
      };
      requestChanges(number);
      check(number, 'build', null);
      expect(await seen()).toEqual(['changes_requested', 'pending']);
      approve(number);
      check(number, 'build', 'failure');
      expect(await seen()).toEqual(['approved', 'red']);
      check(number, 'build', 'success');
      expect(await seen()).toEqual(['approved', 'green']);
    });

    test('what people close or merge is seen, with who did it', async () => {
      const { forge, branch, closeByHand, mergeByHand } = await open();
      branch('a', 'a.txt');
      branch('b', 'b.txt');
      const [a, b] = [await forge.create(wish('a')), await forge.create(wish('b'))];
      const [first, second] = [a.ok ? a.value.number : 0, b.ok ? b.value.number : 0];
      closeByHand(first);
      expect(await forge.read(first)).toMatchObject({
        ok: true,
        value: { state: 'closed', endedBy: 'mona', mergeCommit: null },
      });
      const commit = mergeByHand(second);
      expect(await forge.read(second)).toMatchObject({
        ok: true,
        value: { state: 'merged', endedBy: 'mona', mergeCommit: commit },
      });
      expect((await forge.reopen(first)).ok).toBe(true);
      expect(await forge.find('a')).toMatchObject({
        ok: true,
        value: { number: first, state: 'open' },
      });
    });

    test('the body is changed, a comment is made, and it is closed', async () => {
      const { forge, branch } = await open();
      branch('a');
      const made = await forge.create(wish('a'));
      const number = made.ok ? made.value.number : 0;
      expect(await forge.update(number, { body: 'Better' })).toMatchObject({
        ok: true,
        value: { body: 'Better' },
      });
      expect((await forge.comment(number, 'Bye')).ok).toBe(true);
      expect((await forge.close(number)).ok).toBe(true);
      expect(await forge.find('a')).toMatchObject({ ok: true, value: { state: 'closed' } });
    });

    test('an unknown number, a stranger and a limit are told apart', async () => {
      const { forge, stranger, limitUntil } = await open();
      expect(await forge.read(99)).toMatchObject({ ok: false, error: { kind: 'not_found' } });
      expect(await stranger.find('a')).toMatchObject({
        ok: false,
        error: { kind: 'not_authorised' },
      });
      limitUntil(2_000_000_000);
      expect(await forge.find('a')).toMatchObject({
        ok: false,
        error: { kind: 'rate_limited', until: 2_000_000_000_000 },
      });
    });
  });
}
