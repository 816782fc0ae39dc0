import type { Launch } from '../ports/agent.ts';
import type { Running } from './memory-executor.ts';
import type { MemoryRepository } from './memory-repository.ts';
import type { VirtualTime } from './virtual-time.ts';

const PROGRAM = 'simulated-reviewer';
const SMELL = 'smell/';

/** What a task leaves that every gate lets through and every reviewer minds. */
export const smellOf = (task: string): string => `${SMELL}${task}`;
export const isSmell = (path: string): boolean => path.startsWith(SMELL);

type Paper = { readonly base: string; readonly verdictFile: string };

export function reviewLaunch(worktree: string, base: string, verdictFile: string): Launch {
  const paper: Paper = { base, verdictFile };
  return { argv: [PROGRAM, JSON.stringify(paper)], cwd: worktree, env: {}, files: [] };
}

export const isReviewer = ({ spec }: Running): boolean => spec.argv[0] === PROGRAM;

const LONGEST_REVIEW_MS = 15_000;

/**
 * Reads what the work added, and minds every smell in it. Now and then a reviewer crashes, says nothing or
 * never ends; none of that is a verdict.
 */
export function reviewWork(
  running: Running,
  { store, places }: MemoryRepository,
  papers: Map<string, string>,
  time: VirtualTime,
  chance: () => number,
): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- reviewLaunch wrote it
  const { base, verdictFile } = JSON.parse(running.spec.argv[1] ?? '{}') as Paper;
  const luck = chance();
  if (luck < 0.03) return;
  time.after(chance() * LONGEST_REVIEW_MS, () => {
    const place = running.isOver() ? null : places.at(running.spec.cwd);
    if (place === null) return;
    if (luck < 0.1) return running.end({ kind: 'code', code: 1 });
    const before = store.files(store.find(base)?.tree ?? '');
    const found = [...place.files.keys()].filter((path) => isSmell(path) && !before.has(path));
    const findings = found.map((file) => ({ file, severity: 'error', text: 'it smells' }));
    const verdict = found.length === 0 ? 'approve' : 'reject';
    if (luck > 0.17) papers.set(verdictFile, JSON.stringify({ verdict, findings }));
    running.end({ kind: 'code', code: 0 });
  });
}
