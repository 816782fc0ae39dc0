import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { AT, error, makeRig, value, type Rig } from './rig.ts';

const text = { message: 'Land web-1\n\nBody.\n', at: AT };

/** One commit's edit: a file and the line that is set, or a deletion, or nothing. */
type Edit =
  | { kind: 'line'; file: string; line: number; to: string }
  | { kind: 'delete'; file: string }
  | { kind: 'nothing' };

const file = fc.constantFrom('a', 'b', 'dir/c', 'dir/d');
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('line' as const),
      file,
      line: fc.nat({ max: 11 }),
      to: fc.constantFrom('x', 'y', 'z'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), file }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'nothing' as const }) },
);
const history = fc.record({
  ours: fc.array(edit, { minLength: 1, maxLength: 3 }),
  theirs: fc.array(edit, { minLength: 1, maxLength: 4 }),
});

test('merge, squash and rebase in memory give the trees that real git gives, on random histories', async () => {
  const rig = makeRig();
  const base = rig.commit('base', startingFiles());
  const repository = await rig.open();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ ours, theirs }) => {
      number += 1;
      const target = play(rig, base, ours, `ours-${number}`);
      const source = play(rig, base, theirs, `theirs-${number}`);
      for (const strategy of ['merge', 'squash', 'rebase'] as const) {
        const built = await repository.merges.build(strategy, target, source, text);
        const real = realTree(rig, strategy, target, source);
        const tree = built.ok ? built.value.tree : null;
        expect({ strategy, tree }).toEqual({ strategy, tree: real });
        expect(built.ok || built.error.kind === 'conflict').toBe(true);
      }
    }),
    { numRuns: 12, seed: 20_261_115 },
  );
});

test('the same merge made twice is the same commit, with the given time and the user’s name', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1', b: '1' });
  const target = rig.plant({ a: '2', b: '1' }, base);
  const source = rig.plant({ a: '1', b: '2' }, base);
  const { merges } = await rig.open();
  const once = value(await merges.build('merge', target, source, text));
  expect(value(await merges.build('merge', target, source, text))).toEqual(once);
  expect(rig.git('show', '-s', '--format=%P|%an <%ae>|%at|%ct|%B', once.commit)).toBe(
    `${target} ${source}|Ada <ada@example.org>|1700000500|1700000500|Land web-1\n\nBody.`,
  );
  const squashed = value(await merges.build('squash', target, source, text));
  expect(rig.git('show', '-s', '--format=%P', squashed.commit)).toBe(target);
  expect(squashed.tree).toBe(once.tree);
});

test('without a configured identity commits are Convoy’s', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1', b: '1' });
  const target = rig.plant({ a: '2', b: '1' }, base);
  const source = rig.plant({ a: '1', b: '2' }, base);
  const { merges } = await rig.open({ env: { ...rig.env, HOME: join(rig.root, 'nobody') } });
  const built = value(await merges.build('merge', target, source, text));
  expect(rig.git('show', '-s', '--format=%an <%ae> %cn', built.commit)).toBe(
    'Convoy <convoy@localhost> Convoy',
  );
});

test('a rebase keeps authors, dates and messages, drops what became empty and keeps what fits', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1', b: '1' });
  const target = rig.plant({ a: '2', b: '1' }, base);
  rig.git('checkout', '--quiet', '-b', 'topic', base);
  rig.write('a', '2');
  rig.git('commit', '--quiet', '-am', 'same change as the target');
  rig.write('b', '2');
  rig.git('commit', '--quiet', '--author', 'Zoë <zoe@example.org>', '-am', 'Überschrift\n\nText');
  rig.git('commit', '--quiet', '--allow-empty', '-m', 'empty on purpose');
  const source = rig.git('rev-parse', 'HEAD');
  const { merges } = await rig.open();
  const built = value(await merges.build('rebase', target, source, text));
  expect(rig.git('log', '--reverse', '--format=%an|%s|%cn', `${target}..${built.commit}`)).toBe(
    'Zoë|Überschrift|Ada\nAda|empty on purpose|Ada',
  );
  const ahead = rig.plant({ a: '2', b: '9' }, target);
  expect(value(await merges.build('rebase', target, ahead, text)).commit).toBe(ahead);
});

test('a conflict names its kind of trouble: both changed, changed and deleted, file and folder', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { 'dir/with\nnewline': '1', b: '1', c: '1' });
  rig.git('checkout', '--quiet', '-b', 'ours');
  rig.write('dir/with\nnewline', '2');
  rig.git('rm', '--quiet', 'b');
  const ours = rig.commit('ours', { d: 'file' });
  rig.git('checkout', '--quiet', '-b', 'theirs', base);
  const theirs = rig.commit('theirs', { 'dir/with\nnewline': '3', b: '2', 'd/e': 'folder' });
  const { merges } = await rig.open();
  const conflict = error(await merges.mergeTrees(ours, theirs));
  if (conflict.kind !== 'conflict') throw new Error(conflict.kind);
  expect(conflict.files).toEqual(expect.arrayContaining(['b', 'dir/with\nnewline']));
  expect(conflict.files.some((name) => name.startsWith('d'))).toBe(true);
  expect(conflict.messages.join('\n')).toMatch(/CONFLICT \(modify\/delete\): b /);
});

test('the target’s own attributes rule the merge, as they would in a checkout', async () => {
  const rig = makeRig();
  const attributes = 'log merge=union\nlock -merge\n';
  const base = rig.commit('base', {
    '.gitattributes': attributes,
    'sub/.gitattributes': 'lock -merge\n',
    log: 'one\n',
    'sub/lock': '1\n2\n3\n4\n5\n6\n7\n',
  });
  const ours = rig.commit('ours', { log: 'one\nours\n', 'sub/lock': 'A\n2\n3\n4\n5\n6\n7\n' });
  rig.git('checkout', '--quiet', '--detach', base);
  const theirs = rig.commit('theirs', {
    log: 'one\ntheirs\n',
    'sub/lock': '1\n2\n3\n4\n5\n6\nB\n',
  });
  const { merges } = await rig.open();
  expect(error(await merges.mergeTrees(ours, theirs))).toMatchObject({
    kind: 'conflict',
    files: ['sub/lock'],
  });
});

test('histories without a common commit are refused by that name', async () => {
  const rig = makeRig();
  const one = rig.plant({ a: '1' });
  const two = rig.plant({ b: '1' });
  const { merges } = await rig.open();
  expect(error(await merges.mergeTrees(one, two))).toEqual({ kind: 'unrelated_histories' });
  expect(error(await merges.build('rebase', one, two, text))).toEqual({
    kind: 'unrelated_histories',
  });
});

test('containment holds after squash and rebase although no commit is shared', async () => {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1', b: '1' });
  const source = rig.plant({ a: '1', b: '2', c: 'new' }, base);
  const squashed = rig.plant({ a: '9', b: '2', c: 'new' }, base);
  const partly = rig.plant({ a: '9', b: '2' }, base);
  const { merges } = await rig.open();
  expect(value(await merges.alreadyContained(source, squashed))).toBe(true);
  expect(value(await merges.alreadyContained(source, partly))).toBe(false);
});

function startingFiles(): Record<string, string> {
  const lines = Array.from({ length: 12 }, (_, at) => `line ${at}\n`).join('');
  return {
    a: lines,
    b: lines.replaceAll('line', 'row'),
    'dir/c': 'c\n',
    'dir/d': 'd\n'.repeat(12),
  };
}

/** Commits the edits one after another and returns the last commit. */
function play(rig: Rig, base: string, edits: readonly Edit[], name: string): string {
  rig.git('checkout', '--quiet', '--force', '--detach', base);
  edits.forEach((each, at) => {
    if (each.kind === 'delete') rig.git('rm', '--quiet', '--ignore-unmatch', each.file);
    if (each.kind === 'line') {
      const lines = Array.from({ length: 12 }, (_, line) => `${each.file} ${line}`);
      const old = showOr(rig, `HEAD:${each.file}`, `${lines.join('\n')}\n`).split('\n');
      old[each.line] = `${each.to} ${each.line}`;
      rig.write(each.file, `${old.join('\n')}\n`);
    }
    rig.commit(`${name} ${at}`);
  });
  return rig.git('rev-parse', 'HEAD');
}

function showOr(rig: Rig, revision: string, otherwise: string): string {
  try {
    return rig.git('show', revision);
  } catch {
    return otherwise;
  }
}

/** What porcelain git makes of it in the user's checkout; null for a conflict. */
function realTree(
  rig: Rig,
  strategy: 'merge' | 'squash' | 'rebase',
  target: string,
  source: string,
): string | null {
  try {
    if (strategy === 'rebase') {
      rig.git('checkout', '--quiet', '--force', '--detach', source);
      rig.git('rebase', '--quiet', '--no-fork-point', target);
    } else {
      rig.git('checkout', '--quiet', '--force', '--detach', target);
      rig.git('merge', '--quiet', ...(strategy === 'squash' ? ['--squash'] : ['--no-ff']), source);
    }
    return strategy === 'squash' ? rig.git('write-tree') : rig.git('rev-parse', 'HEAD^{tree}');
  } catch {
    if (strategy === 'rebase') rig.git('rebase', '--abort');
    else rig.git('reset', '--quiet', '--hard');
    return null;
  }
}
