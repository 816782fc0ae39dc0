import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { landingJournal, lockIndex } from '../../src/adapters/git/journal.ts';
import { untilDone } from '../../src/adapters/git/process-identity.ts';
import { error, makeRig, value, type Rig } from './rig.ts';

type Landing = { rig: Rig; from: string; to: string };

/** A checkout of `develop` at `from`, and a descendant that changes, adds, deletes and nests files. */
function prepared(): Landing {
  const rig = makeRig();
  rig.commit('first', { keep: 'same\n', change: 'old\n', drop: 'gone soon\n' });
  const from = rig.git('rev-parse', 'HEAD');
  rig.git('checkout', '--quiet', '-b', 'work');
  rmSync(join(rig.repo, 'drop'));
  const to = rig.commit('second', { change: 'new and longer\n', 'deep/er/add': 'added\n' });
  rig.git('checkout', '--quiet', 'develop');
  rig.git('branch', '--quiet', '-D', 'work');
  return { rig, from, to };
}

const OLD = { keep: 'same\n', change: 'old\n', drop: 'gone soon\n' };
const NEW = { keep: 'same\n', change: 'new and longer\n', 'deep/er/add': 'added\n' };

test('a clean checkout of the target moves along: files, index and ref', async () => {
  const { rig, from, to } = prepared();
  rig.write('untracked', 'mine');
  // A touched file is not a changed file.
  utimesSync(join(rig.repo, 'change'), 1, 1);
  const repository = await rig.open();
  expect(value(await repository.landing.advance('develop', to, from))).toEqual({
    checkouts: [rig.repo],
  });
  expect(filesOf(rig.repo)).toEqual({ ...NEW, untracked: 'mine' });
  expect(rig.git('rev-parse', 'develop')).toBe(to);
  expect(rig.git('status', '--porcelain')).toBe('?? untracked');
  expect(leftovers(rig)).toEqual([]);
});

test.each([
  ['a changed file', (rig: Rig) => rig.write('keep', 'edited\n'), ['keep']],
  ['a deleted file', (rig: Rig) => rmSync(join(rig.repo, 'change')), ['change']],
  [
    'a staged change',
    (rig: Rig) => {
      rig.write('staged', 'x');
      rig.git('add', 'staged');
    },
    ['staged'],
  ],
  [
    'an untracked file in the way',
    (rig: Rig) => {
      rig.write('deep/er/add', 'added\n');
      rig.write('deep/er/other', 'x');
    },
    ['deep/er/add'],
  ],
  [
    'an ignored file in the way',
    (rig: Rig) => {
      writeFileSync(join(rig.repo, '.git/info/exclude'), 'deep\n');
      rig.write('deep/er/add', 'precious');
    },
    ['deep/er/add'],
  ],
  [
    'an ignored file where a folder must be',
    (rig: Rig) => {
      writeFileSync(join(rig.repo, '.git/info/exclude'), 'deep\n');
      rig.write('deep', 'precious');
    },
    ['deep'],
  ],
])(
  '%s in the checkout makes the landing wait, and not a byte is touched',
  async (_, soil, files) => {
    const { rig, from, to } = prepared();
    soil(rig);
    const before = snapshot(rig);
    const repository = await rig.open();
    expect(error(await repository.landing.advance('develop', to, from))).toEqual({
      kind: 'target_checkout_dirty',
      checkout: rig.repo,
      files,
    });
    expect(snapshot(rig)).toEqual(before);
    expect(rig.git('rev-parse', 'develop')).toBe(from);
    expect(leftovers(rig)).toEqual([]);
  },
);

test('an unfinished merge or rebase of the target makes the landing wait', async () => {
  const { rig, from, to } = prepared();
  const repository = await rig.open();
  writeFileSync(join(rig.repo, '.git/MERGE_HEAD'), `${to}\n`);
  expect(error(await repository.landing.advance('develop', to, from))).toMatchObject({
    kind: 'target_checkout_dirty',
  });
  rmSync(join(rig.repo, '.git/MERGE_HEAD'));
  rig.git('checkout', '--quiet', '--detach');
  mkdirSync(join(rig.repo, '.git/rebase-merge'));
  writeFileSync(join(rig.repo, '.git/rebase-merge/head-name'), 'refs/heads/develop\n');
  expect(error(await repository.landing.advance('develop', to, from))).toMatchObject({
    kind: 'target_checkout_dirty',
  });
});

test('a linked worktree of the target moves along and one of another branch does not', async () => {
  const { rig, from, to } = prepared();
  rig.git('checkout', '--quiet', '-b', 'elsewhere');
  const linked = join(rig.root, 'linked');
  rig.git('worktree', 'add', '--quiet', linked, 'develop');
  const repository = await rig.open();
  value(await repository.landing.advance('develop', to, from));
  expect(rig.gitIn(linked, 'status', '--porcelain')).toBe('');
  expect(readFileSync(join(linked, 'change'), 'utf8')).toBe('new and longer\n');
  expect(filesOf(rig.repo)).toEqual(OLD);
});

test('a worktree whose directory was deleted does not hold the landing up', async () => {
  const { rig, from, to } = prepared();
  rig.git('checkout', '--quiet', '-b', 'elsewhere');
  const linked = join(rig.root, 'linked');
  rig.git('worktree', 'add', '--quiet', linked, 'develop');
  rmSync(linked, { recursive: true });
  const repository = await rig.open();
  expect(value(await repository.landing.advance('develop', to, from)).checkouts).toEqual([]);
});

test('a user in the middle of a git command is waited for, not overridden', async () => {
  const { rig, from, to } = prepared();
  const repository = await rig.open();
  writeFileSync(join(rig.repo, '.git/index.lock'), '');
  expect(error(await repository.landing.advance('develop', to, from))).toMatchObject({
    kind: 'errored',
    reason: 'busy',
  });
  // Old, but a git is at work in the checkout, as while a commit message is written.
  utimesSync(join(rig.repo, '.git/index.lock'), 1, 1);
  const working = spawn('git', ['cat-file', '--batch'], { cwd: rig.repo, env: rig.env });
  await once(working, 'spawn');
  working.stdin.write('HEAD\n');
  await once(working.stdout, 'data');
  expect(error(await repository.landing.advance('develop', to, from))).toMatchObject({
    reason: 'busy',
  });
  expect(existsSync(join(rig.repo, '.git/index.lock'))).toBe(true);
  working.stdin.end();
  await once(working, 'exit');
  value(await repository.landing.advance('develop', to, from));
  expect(filesOf(rig.repo)).toEqual(NEW);
});

test('a target that moves while its checkout is being moved is left where it went', async () => {
  const { rig, from, to } = prepared();
  const aside = rig.plant({ keep: 'other\n' }, from);
  const repository = await rig.open({
    checkpoint: (step) => {
      if (step === 'files') rig.git('update-ref', 'refs/heads/develop', aside);
    },
  });
  expect(error(await repository.landing.advance('develop', to, from))).toEqual({
    kind: 'target_moved',
    now: aside,
  });
  expect(filesOf(rig.repo)).toEqual(OLD);
  expect(rig.git('rev-parse', 'develop')).toBe(aside);
  expect(leftovers(rig)).toEqual([]);
});

test.each([
  ['locked', 'undone', OLD],
  ['files', 'undone', OLD],
  ['ref', 'finished', NEW],
  ['index', 'finished', NEW],
] as const)(
  'GT-170: killed after step %s, the landing is %s and can be made again',
  async (step, outcome, files) => {
    const { rig, from, to } = prepared();
    rig.write('untracked', 'mine');
    const died = spawnSync(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        fileURLToPath(new URL('./advance-and-die.ts', import.meta.url)),
        rig.repo,
        rig.cache,
        'develop',
        to,
        from,
        step,
      ],
      { env: rig.env, encoding: 'utf8' },
    );
    expect(died).toMatchObject({ signal: 'SIGKILL', stdout: '', stderr: '' });
    // Until it is healed the user cannot commit the mixture by accident.
    expect(existsSync(join(rig.repo, '.git/index.lock'))).toBe(step !== 'index');
    const repository = await rig.open();
    const healed = value(await repository.landing.heal());
    expect(healed).toEqual([{ checkout: rig.repo, outcome, kept: [] }]);
    expect(filesOf(rig.repo)).toEqual({ ...files, untracked: 'mine' });
    expect(rig.git('status', '--porcelain')).toBe('?? untracked');
    expect(rig.git('rev-parse', 'develop')).toBe(outcome === 'finished' ? to : from);
    expect(leftovers(rig)).toEqual([]);
    if (outcome === 'undone') value(await repository.landing.advance('develop', to, from));
    expect(filesOf(rig.repo)).toEqual({ ...NEW, untracked: 'mine' });
    expect(value(await repository.landing.heal())).toEqual([]);
  },
);

test('a git that outlived the process which started it is seen until it ends', async () => {
  const rig = makeRig();
  rig.commit('base', { a: '1' });
  const args = ['-c', 'convoy.mark=outlived', 'cat-file', '--batch'];
  const orphan = spawn('git', args, { cwd: rig.repo, env: rig.env });
  orphan.stdin.write('HEAD\n');
  await once(orphan.stdout, 'data');
  expect(await untilDone('outlived', 0)).toBe(false);
  expect(await untilDone('another', 0)).toBe(true);
  orphan.stdin.end();
  expect(await untilDone('outlived')).toBe(true);
});

test('killed while git writes files: half-written ones are put back, the user’s later edits stay', async () => {
  const { rig, from, to } = prepared();
  const repository = await rig.open();
  const home = join(rig.cache, readdirSync(rig.cache)[0] ?? '');
  const journal = landingJournal(home);
  const gitDir = join(rig.repo, '.git');
  const begun = await journal.begin({
    path: rig.repo,
    gitDir,
    branch: 'develop',
    from,
    to,
    mark: 'none',
  });
  const moving = await journal.moving(begun);
  expect(await lockIndex(moving)).toBe(true);
  // The process that wrote this is gone.
  const record = join(home, 'landing', `${moving.token}.json`);
  const text = JSON.stringify({ ...moving, process: { pid: 2 ** 22 + 1, startTime: '1' } });
  writeFileSync(record, text);
  rig.write('change', 'new and longer\n');
  truncateSync(join(rig.repo, 'change'), 5);
  rmSync(join(rig.repo, 'drop'));
  rig.write('deep/er/add', 'edited by the user since\n');
  expect(value(await repository.landing.heal())).toEqual([
    { checkout: rig.repo, outcome: 'undone', kept: ['deep/er/add'] },
  ]);
  expect(filesOf(rig.repo)).toEqual({ ...OLD, 'deep/er/add': 'edited by the user since\n' });
  expect(rig.git('status', '--porcelain', '-uall')).toBe('?? deep/er/add');
});

function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.git') && statSync(join(folder, name)).isFile())
    .toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Contents, times and the index, to show that nothing at all was written. */
function snapshot(rig: Rig): unknown {
  const names = readdirSync(rig.repo, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.git'))
    .toSorted();
  return {
    files: names.map((name) => {
      const { mtimeMs, ino, mode, size } = statSync(join(rig.repo, name));
      return { name, mtimeMs, ino, mode, size };
    }),
    contents: filesOf(rig.repo),
    index: readFileSync(join(rig.repo, '.git/index')).toString('base64'),
  };
}

/** Locks and journals that should be gone. */
function leftovers(rig: Rig): string[] {
  const home = join(rig.cache, readdirSync(rig.cache)[0] ?? '');
  const landing = join(home, 'landing');
  return [
    ...readdirSync(join(rig.repo, '.git')).filter((name) => /lock|convoy/.test(name)),
    ...(existsSync(landing) ? readdirSync(landing) : []),
  ];
}
