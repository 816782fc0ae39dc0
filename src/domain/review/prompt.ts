import { fence, fenceRule } from '../ship/medic/prompt-fence.ts';

/** What is to be reviewed. */
export type ReviewSubject = {
  readonly title: string;
  readonly tasks: readonly {
    readonly id: string;
    readonly title: string;
    readonly acceptance: readonly string[];
  }[];
  /** In git's form, all of it. */
  readonly diff: string;
  /** The repo's own prompt in place of ours; what it asks for, not how to answer. */
  readonly prompt: string | null;
};

export type ReviewPart = {
  readonly text: string;
  readonly number: number;
  readonly of: number;
  readonly files: readonly string[];
};

const MOST_TASKS = 200;
const MOST_FILES = 500;

const WHAT_TO_LOOK_FOR = [
  'Look for what tests and a compiler do not see:',
  '- tasks that do not fit together: two ways for one thing, names that differ, a half-done change of a shared type',
  '- broken contracts: public functions, routes, file formats, settings or exit codes that changed without their users',
  '- behaviour without a test, and tests that cannot fail',
  '- residue of merges: conflict markers, code that came back, the same thing twice, one side silently lost',
  '- secrets: the text [redacted] stands where something that looks like one was taken out; say so if a real one seems to be committed',
  '- acceptance criteria that are not met',
].join('\n');

export function reviewInstructions(mark: string, prompt: string | null): string {
  return [
    'You review a change before it lands. You judge; you change nothing.',
    fenceRule(mark),
    prompt === null || prompt.trim() === '' ? WHAT_TO_LOOK_FOR : prompt.trim(),
    'Reject only for something that must be mended first, and give every such thing as a finding ' +
      'of severity "error" with its file and its line in the new file. Smaller remarks are ' +
      '"warning" or "info" and do not stand in the way. Matters of taste are no findings.',
    'Answer by calling give_verdict exactly once. No other answer counts.',
  ].join('\n\n');
}

export function reviewQuestion(
  subject: ReviewSubject,
  part: ReviewPart,
  { mark, clean }: { readonly mark: string; readonly clean: (text: string) => string },
): string {
  const outside = (label: string, text: string): string => fence(label, clean(text), mark);
  const tasks = subject.tasks
    .slice(0, MOST_TASKS)
    .flatMap(({ id, title, acceptance }) => [
      `${id}: ${title}`,
      ...acceptance.map((one) => `  must hold: ${one}`),
    ]);
  return [
    part.of === 1
      ? 'Review this change.'
      : `Review part ${part.number} of ${part.of} of this change; the other parts are reviewed by themselves.`,
    outside('what it is for', [subject.title, ...tasks].join('\n')),
    outside('all changed files', part.files.slice(0, MOST_FILES).join('\n')),
    outside('diff', part.text),
  ].join('\n\n');
}
