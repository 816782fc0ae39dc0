import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { NoAnswer, NotARepository, Repository, Worktrees } from '../../ports/repository.ts';
import { attributesOf } from './attributes.ts';
import { branchesOf } from './branches.ts';
import { identityOf } from './commit.ts';
import { repositoryFacts } from './facts.ts';
import { gitOf, type Git } from './git.ts';
import { landingJournal } from './journal.ts';
import { landingOf, type LandingStep } from './landing.ts';
import { locate, type Place } from './locate.ts';
import { fileLock } from './lock.ts';
import { mergesOf } from './merges.ts';
import { acquire, find, list, prune, release, type Pool } from './pool.ts';
import { prepare } from './prepare.ts';
import { remoteOf } from './remote.ts';
import { rescue } from './rescue.ts';
import { gitRunner, ioFailed, type RunnerOptions } from './run.ts';
import { indexOf, slotStore } from './slots.ts';
import { startMerge } from './start-merge.ts';
import { stayingOf } from './staying.ts';
import { openView } from './view.ts';
import { warm } from './warm.ts';
import { workState } from './work-state.ts';

export type OpenOptions = RunnerOptions & {
  /** Any path inside the repository. */
  readonly path: string;
  /** Where worktrees and our own notes live; outside the repository. */
  readonly cacheDir: string;
  /** Free worktrees kept for reuse by a prune. */
  readonly spare?: number;
  readonly checkpoint?: (step: LandingStep) => void;
};

/** Opens a git repository for work. */
export async function openRepository(
  options: OpenOptions,
): Promise<Result<Repository, NotARepository | NoAnswer>> {
  const place = await locate(options.path);
  if (!place.ok) return place;
  const home = join(options.cacheDir, folderOf(place.value));
  try {
    await mkdir(home, { recursive: true });
  } catch (cause) {
    return err(ioFailed('make the cache directory', cause));
  }
  const runGit = gitRunner(options);
  const view = await openView(place.value, home, runGit);
  if (!view.ok) return view;
  const { commonDir } = place.value;
  const git = gitOf(view.value, runGit, stayingOf(view.value, options));
  return ok({
    facts: repositoryFacts(git, runGit),
    branches: branchesOf(git),
    merges: mergesOf(git),
    remote: remoteOf(git),
    worktrees: worktreesOf(git, {
      git,
      slots: slotStore(home),
      lock: fileLock(join(commonDir, 'convoy-worktrees.lock')),
      spare: options.spare ?? DEFAULT_SPARE,
    }),
    landing: landingOf({
      git,
      runGit,
      journal: landingJournal(home),
      lock: fileLock(join(commonDir, 'convoy-landing.lock')),
      checkpoint: options.checkpoint ?? (() => undefined),
    }),
  });
}

const DEFAULT_SPARE = 8;

function worktreesOf(git: Git, pool: Pool): Worktrees {
  return {
    acquire: async (request) => {
      const lent = await acquire(pool, request);
      if (lent.ok) void foresee(git, lent.value.head);
      return lent;
    },
    warm: (commit, count) => warm(pool, commit, count),
    find: (owner) => find(pool, owner),
    list: () => list(pool),
    release: (owner) => release(pool, owner),
    prune: (owners) => prune(pool, owners),
    prepare: (worktree, setup, run) => prepare(pool, worktree, setup, run),
    state: (worktree) => workState(git, worktree),
    rescue: (worktree, text, options) =>
      rescue(git, worktree, text, options, indexOf(pool.slots, worktree)),
    startMerge: (worktree, commit) => startMerge(git, worktree, commit),
  };
}

/**
 * Learns ahead what will be asked in a hurry: what is verified or worked on is likely to be merged onto next, which
 * needs its attributes, and what is left there is committed in somebody's name.
 */
const foresee = (git: Git, head: string): Promise<unknown> =>
  Promise.all([attributesOf(git, head), identityOf(git)]);

/** Readable, and different for different repositories of the same name. */
function folderOf({ commonDir, mainWorkTree }: Place): string {
  const name = basename(mainWorkTree ?? commonDir).replaceAll(/[^A-Za-z0-9._-]/g, '-');
  return `${name}-${createHash('sha256').update(commonDir).digest('hex').slice(0, 8)}`;
}
