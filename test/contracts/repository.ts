import { expect, test } from 'vitest';
import type { Repository } from '../../src/ports/repository.ts';
import { AT, error, value } from '../git/rig.ts';

/** What a suite needs to set a repository up, whatever holds it. */
export type RepositoryHarness = {
  readonly repository: Repository;
  /** Commits files on top of a parent without moving any branch. */
  readonly commit: (
    files: Readonly<Record<string, string>>,
    parent: string | null,
  ) => Promise<string>;
};

/** Everything the engine relies on; every repository adapter and fake must pass it. */
// oxlint-disable-next-line max-lines-per-function -- a list of tests
export function repositoryContract(make: () => Promise<RepositoryHarness>): void {
  const text = { message: 'land it', at: AT };

  test('a branch is created once, moved only from where it was seen, and removed the same way', async () => {
    const { repository, commit } = await make();
    const one = await commit({ a: '1' }, null);
    const two = await commit({ a: '2' }, one);
    const { branches, facts } = repository;
    value(await branches.create('convoy/x/cv1/head', one));
    expect(error(await branches.create('convoy/x/cv1/head', two))).toMatchObject({
      kind: 'name_taken',
    });
    expect(error(await branches.compareAndSwap('convoy/x/cv1/head', two, two))).toEqual({
      kind: 'ref_moved',
      now: one,
    });
    value(await branches.compareAndSwap('convoy/x/cv1/head', two, one));
    expect(value(await facts.head('convoy/x/cv1/head'))).toBe(two);
    expect(error(await branches.remove('convoy/x/cv1/head', one))).toEqual({
      kind: 'ref_moved',
      now: two,
    });
    value(await branches.remove('convoy/x/cv1/head', two));
    value(await branches.remove('convoy/x/cv1/head', two));
    expect(value(await facts.head('convoy/x/cv1/head'))).toBeNull();
  });

  test('KG-10: task branches are siblings of head, and a name below a branch is taken', async () => {
    const { repository, commit } = await make();
    const one = await commit({ a: '1' }, null);
    const { branches } = repository;
    value(await branches.create('convoy/x/cv1/head', one));
    value(await branches.create('convoy/x/cv1/task/web-1-1', one));
    expect(value(await branches.taken('convoy/x/cv1/head/below'))).toBe('convoy/x/cv1/head');
    expect(value(await branches.taken('convoy/x/cv1'))).toMatch(/^convoy\/x\/cv1\//);
    expect(value(await branches.taken('convoy/x/cv1/task/web-1-2'))).toBeNull();
    expect(value(await branches.list()).map(({ name }) => name)).toEqual([
      'convoy/x/cv1/head',
      'convoy/x/cv1/task/web-1-1',
    ]);
  });

  test.each(['', 'a..b', 'a b', '-x', 'a/', 'a.lock', 'x~1', 'a\nb', 'a\0b'])(
    'GT-172: %j is not a branch name',
    async (name) => {
      const { repository, commit } = await make();
      const one = await commit({ a: '1' }, null);
      expect(error(await repository.branches.create(name, one))).toEqual({
        kind: 'invalid_name',
        name,
      });
    },
  );

  test('of sixteen racers for one branch exactly one wins and the others learn where it is', async () => {
    const { repository, commit } = await make();
    const base = await commit({ a: '0' }, null);
    value(await repository.branches.create('target', base));
    const rivals = await Promise.all(
      Array.from({ length: 16 }, (_, at) => commit({ a: String(at + 1) }, base)),
    );
    const results = await Promise.all(
      rivals.map((rival) => repository.branches.compareAndSwap('target', rival, base)),
    );
    const winner = value(await repository.facts.head('target'));
    expect(results.filter((result) => result.ok)).toHaveLength(1);
    expect(results.findIndex((result) => result.ok)).toBe(rivals.indexOf(winner ?? ''));
  });

  test('unknown commits are named, not mistaken for an error', async () => {
    const { repository, commit } = await make();
    const one = await commit({ a: '1' }, null);
    const gone = 'deadbeef'.repeat(5);
    const expected = { kind: 'unknown_revision', revision: gone };
    expect(error(await repository.facts.resolve(gone))).toEqual(expected);
    expect(error(await repository.facts.isAncestor(gone, one))).toEqual(expected);
    expect(error(await repository.merges.mergeTrees(one, gone))).toEqual(expected);
    expect(error(await repository.landing.advance('b', gone, one))).toEqual(expected);
  });

  test('a vanished branch is rebuilt from its recorded commit while git has it', async () => {
    const { repository, commit } = await make();
    const one = await commit({ a: '1' }, null);
    const { branches, facts } = repository;
    expect(value(await branches.restore('convoy/x/cv1/head', one))).toBe('restored');
    expect(value(await facts.head('convoy/x/cv1/head'))).toBe(one);
    expect(value(await branches.restore('convoy/x/cv1/head', one))).toBe('present');
    expect(error(await branches.restore('convoy/y', 'deadbeef'.repeat(5)))).toMatchObject({
      kind: 'unknown_revision',
    });
  });

  test.each(['merge', 'squash', 'rebase'] as const)(
    'GT-163/GT-166: a %s that lands is proved by ancestry, tree and containment',
    async (strategy) => {
      const { repository, commit } = await make();
      const base = await commit({ a: '1', b: '1' }, null);
      const target = await commit({ a: '2', b: '1' }, base);
      const source = await commit({ a: '1', b: '2', c: 'new' }, base);
      value(await repository.branches.create('trunk', target));
      const built = value(await repository.merges.build(strategy, target, source, text));
      expect(built.contained).toBe(false);
      value(await repository.landing.advance('trunk', built.commit, target));
      const proof = value(
        await repository.landing.prove(built.commit, 'trunk', source, built.tree),
      );
      expect(proof).toMatchObject({
        ancestor: true,
        treeMatches: true,
        contained: true,
        holds: true,
      });
      const again = value(await repository.merges.build(strategy, built.commit, source, text));
      expect(again).toEqual({ commit: built.commit, tree: built.tree, contained: true });
      const unproved = value(await repository.landing.prove(source, 'trunk', source, built.tree));
      expect(unproved.holds).toBe(false);
    },
  );

  test('a conflict lists its files and moves nothing', async () => {
    const { repository, commit } = await make();
    const base = await commit({ a: '1', b: '1' }, null);
    const ours = await commit({ a: '2', b: '1' }, base);
    const theirs = await commit({ a: '3', b: '1' }, base);
    const conflict = error(await repository.merges.mergeTrees(ours, theirs));
    expect(conflict).toMatchObject({ kind: 'conflict', files: ['a'] });
    for (const strategy of ['merge', 'squash', 'rebase'] as const) {
      expect(error(await repository.merges.build(strategy, ours, theirs, text))).toMatchObject({
        kind: 'conflict',
        files: ['a'],
      });
    }
    expect(value(await repository.merges.alreadyContained(theirs, ours))).toBe(false);
  });

  test('a target is only ever moved forward, and only from where it was seen', async () => {
    const { repository, commit } = await make();
    const base = await commit({ a: '1' }, null);
    const next = await commit({ a: '2' }, base);
    const aside = await commit({ a: '3' }, base);
    value(await repository.branches.create('trunk', next));
    expect(error(await repository.landing.advance('trunk', aside, next))).toEqual({
      kind: 'not_fast_forward',
    });
    expect(error(await repository.landing.advance('trunk', aside, base))).toEqual({
      kind: 'target_moved',
      now: next,
    });
    expect(value(await repository.facts.head('trunk'))).toBe(next);
  });

  test('the same worktree is found by its owner until it is released', async () => {
    const { repository, commit } = await make();
    const base = await commit({ a: '1' }, null);
    const request = {
      owner: 'attempt-1',
      purpose: 'attempt',
      branch: 'convoy/x/cv1/task/web-1-1',
      startPoint: base,
    } as const;
    const { worktrees } = repository;
    const first = value(await worktrees.acquire(request));
    expect(first).toMatchObject({ branch: request.branch, head: base, reused: false });
    expect(value(await worktrees.acquire(request)).path).toBe(first.path);
    expect(value(await worktrees.find('attempt-1'))?.path).toBe(first.path);
    expect(error(await worktrees.acquire({ ...request, owner: 'attempt-2' }))).toMatchObject({
      kind: 'name_taken',
    });
    value(await worktrees.release('attempt-1'));
    expect(value(await worktrees.find('attempt-1'))).toBeNull();
    const second = value(
      await worktrees.acquire({ ...request, owner: 'attempt-2', branch: `${request.branch}0` }),
    );
    expect(second).toMatchObject({ path: first.path, reused: true });
    expect(value(await worktrees.prune([]))).toEqual([second.path]);
    expect(value(await worktrees.list())).toEqual([]);
  });
}
