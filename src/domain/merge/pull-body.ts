/** A task as a pull request shows it. */
export type PullTask = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptance: readonly { readonly text: string }[];
  /** Its change and where that stands, null for work without code. */
  readonly change: string | null;
  readonly commit: string | null;
  readonly attempts: number;
  /** How it ended, where that is not a merge. */
  readonly status: string;
};

export type PullWords = {
  readonly title: string;
  readonly convoy: string | null;
  readonly tasks: readonly PullTask[];
  readonly target: string;
  /** The target's commit the gates ran on top of. */
  readonly onto: string;
  readonly tree: string;
  readonly gates: readonly string[];
  /** What reviews said, in words. */
  readonly reviews: readonly string[];
};

/** GitHub takes 65,536 characters. */
const MOST = 60_000;
const LONGEST_TEXT = 2000;

/** What a reviewer should know: every task, what it had to fulfil, its change, and what was tested. */
export function pullBody(words: PullWords): string {
  const { tasks, convoy, onto, tree, target, gates, reviews } = words;
  const evidence = [
    '### Evidence',
    '',
    gates.length === 0
      ? '- No gate is set up for this repository: **nothing was tested**.'
      : `- Gates passed on the merged tree: ${gates.map(code).join(', ')}.`,
    `- Tested tree \`${tree}\`, merged on top of ${code(target)} at \`${onto}\`.`,
    '- If the target moves, the gates run again before Convoy merges.',
    ...reviews.map((review) => `- ${safe(review)}`),
  ];
  const footer = `Made by Convoy${convoy === null ? '' : ` for ${code(convoy)}`}.`;
  const head = tasks.length === 1 ? [] : [`${tasks.length} tasks.`, ''];
  const whole = [...head, ...tasks.flatMap((task) => section(task, tasks.length === 1))];
  const room = MOST - [...evidence, footer].join('\n').length - 200;
  return [...cut(whole, room), '', ...evidence, '', footer].join('\n');
}

function section(task: PullTask, alone: boolean): string[] {
  const { id, title, description, acceptance, change, commit, attempts, status } = task;
  const facts = [
    change === null ? `no code (${status})` : `change ${code(change)}`,
    ...(commit === null ? [] : [`commit \`${commit}\``]),
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
  ];
  return [
    `### ${code(id)} ${safe(title)}`,
    '',
    ...(alone && description !== '' ? [safe(description.slice(0, LONGEST_TEXT)), ''] : []),
    ...(acceptance.length === 0
      ? ['No acceptance criteria.']
      : ['Acceptance:', ...acceptance.map(({ text }) => `- ${safe(text)}`)]),
    '',
    `${facts.join(', ')}.`,
    '',
  ];
}

/** Leaves whole lines, and says what is missing. */
function cut(lines: readonly string[], room: number): string[] {
  let left = room;
  const kept = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return kept === -1
    ? [...lines]
    : [...lines.slice(0, kept), '', '… more than fits here; `convoy status` shows all of it.'];
}

/** Somebody else's words: no markup of theirs, and nobody is called by them. */
const safe = (text: string): string =>
  text
    .replaceAll('<', '&lt;')
    .replace(/@(?=\w)/g, '@\u200B')
    .replace(/\r?\n/g, '\n');

const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;
