import { ok } from '../lib/result.ts';
import { type Agent, EMPTY_TRANSCRIPT, type OutputParser, TRY_LATER } from '../ports/agent.ts';
import type { Exit } from '../ports/executor.ts';
import type { Running } from './memory-executor.ts';
import type { MemoryRepository } from './memory-repository.ts';
import { CONFLICTED, type Workplace } from './memory-worktrees.ts';
import type { Files } from './object-store.ts';
import { isSmell, reviewLaunch, smellOf } from './reviewing.ts';
import type { VirtualTime } from './virtual-time.ts';

/**
 * What an agent does in one attempt. `bad` breaks the gate by itself, `pair` only together with
 * another task's, `collide` writes a file that others write too, `smelly` what only a reviewer minds.
 */
export const PLAYS = [
  'work',
  'uncommitted',
  'lie',
  'crash',
  'killed',
  'later',
  'hang',
  'bad',
  'pair',
  'collide',
  'smelly',
] as const;
export type Play = (typeof PLAYS)[number];

const PROGRAM = 'simulated-agent';

type Part = {
  readonly task: string;
  readonly number: number;
  readonly role: string;
  readonly plays: readonly Play[];
  /** It was asked for by a review, to mend what that found. */
  readonly mends: boolean;
};

/** The plays of a task stand in its title, so that a counterexample tells all. */
export const titleOf = (name: string, plays: readonly Play[]): string => [name, ...plays].join(' ');

const playsIn = (title: string): Play[] =>
  title.split(' ').flatMap((word) => PLAYS.find((play) => play === word) ?? []);

/** An agent whose attempts follow the plays in the task's title, and then work. */
export function playingAgent(name: string): Agent {
  return {
    name,
    adapter: 'scripted',
    capabilities: { stream: false, permissions: false, resume: false, cost: false },
    prepare({ task, number, role, worktree, base, review }) {
      if (review !== undefined) return ok(reviewLaunch(worktree, base, review.verdictFile));
      const mends = task.title.startsWith('Mend ');
      const part: Part = { task: task.id, number, role, plays: playsIn(task.title), mends };
      return ok({ argv: [PROGRAM, JSON.stringify(part)], cwd: worktree, env: {}, files: [] });
    },
    parser: () => silence,
    judge(end) {
      if (end.status === 'lost')
        return { kind: 'failed', reason: 'lost', message: end.because, transient: true };
      if (end.how.kind === 'code' && end.how.code === 0) return { kind: 'finished', doubts: [] };
      if (end.how.kind === 'code' && end.how.code === TRY_LATER)
        return { kind: 'later', message: 'it asked to be tried later' };
      return { kind: 'failed', reason: 'exit', message: 'it failed', transient: false };
    },
  };
}

const silence: OutputParser = {
  push: () => [],
  skip: () => [],
  end: () => [],
  transcript: () => EMPTY_TRANSCRIPT,
};

/** The task whose agent this is, or null for another program. */
export function taskOf({ spec }: Running): string | null {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- playingAgent wrote it
  return spec.argv[0] === PROGRAM ? (JSON.parse(spec.argv[1] ?? '{}') as Part).task : null;
}

const LONGEST_WORK_MS = 20_000;

/** Plays a part in the checkout it was given, over some virtual time. */
export function perform(
  running: Running,
  repository: MemoryRepository,
  time: VirtualTime,
  chance: () => number,
): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- playingAgent wrote it
  const part = JSON.parse(running.spec.argv[1] ?? '{}') as Part;
  const play = part.plays[part.number - 1] ?? 'work';
  const half = chance() * LONGEST_WORK_MS;
  const place = (): Workplace | null => repository.places.at(running.spec.cwd);
  time.after(half, () => {
    const here = running.isOver() ? null : place();
    if (here !== null) write(here, part, play);
  });
  if (play === 'hang') return;
  time.after(2 * half, () => {
    const here = running.isOver() ? null : place();
    if (here !== null && play !== 'uncommitted' && play !== 'crash' && part.role !== 'resolver')
      repository.places.commit(here, `Do ${part.task}`, time.now());
    running.end(endOf(play));
  });
}

function write({ files }: Workplace, { task, number, mends }: Part, play: Play): void {
  mend(files, task, mends);
  if (play === 'lie' || play === 'later' || play === 'hang') return;
  files.set(`work/${task}`, String(number));
  if (play === 'bad' || play === 'pair') files.set(`${play}/${task}`, '');
  if (play === 'collide') files.set('shared', task);
  if (play === 'smelly') files.set(smellOf(task), '');
}

/** A resolver chooses; whoever tries again takes away what broke the gate or displeased a reviewer. */
function mend(files: Map<string, string>, task: string, everything: boolean): void {
  for (const [path, content] of files)
    if (content === CONFLICTED) files.set(path, `resolved by ${task}`);
  for (const path of [`bad/${task}`, `pair/${task}`, smellOf(task)]) files.delete(path);
  if (everything) for (const path of [...files.keys()].filter(isSmell)) files.delete(path);
}

function endOf(play: Play): Exit {
  if (play === 'crash') return { kind: 'code', code: 1 };
  if (play === 'killed') return { kind: 'signal', signal: 'SIGKILL' };
  return { kind: 'code', code: play === 'later' ? TRY_LATER : 0 };
}

/** What the gate says of a tree: nothing bad, no conflict left, at most one of a pair. */
export function isGreen(files: Files): boolean {
  const paths = [...files.keys()];
  return (
    !paths.some((path) => path.startsWith('bad/')) &&
    paths.filter((path) => path.startsWith('pair/')).length < 2 &&
    ![...files.values()].includes(CONFLICTED)
  );
}
