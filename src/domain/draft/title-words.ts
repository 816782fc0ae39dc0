import { TASK_TYPES, type Priority, type TaskType } from '../work/task.ts';

/** What the words at both ends of a title say about it. */
export type TitleWords = {
  readonly title: string;
  readonly type: TaskType | null;
  readonly priority: Priority | null;
  readonly labels: readonly string[];
  readonly estimateMinutes: number | null;
  /** References in a last `(after: a, b)`. */
  readonly after: string | null;
  /** `[notes]`: a heading under which nothing is work. */
  readonly isNotes: boolean;
  readonly endsWithColon: boolean;
};

type Found = { -readonly [K in keyof TitleWords]: TitleWords[K] } & { labels: string[] };

/** Takes tags off both ends of a title: `[bug]`, `P1`, `#label`, `~30m`, `(after: a)`. */
export function titleWords(text: string): TitleWords {
  const found: Found = {
    title: '',
    type: null,
    priority: null,
    labels: [],
    estimateMinutes: null,
    after: null,
    isNotes: false,
    endsWithColon: false,
  };
  let words = text.split(/\s+/).filter((word) => word !== '');
  words = withoutTags(found, words);
  const order = /^(.*?) ?\((?:after|depends on):? ([^()]+)\)$/i.exec(words.join(' '));
  if (order?.[1]) {
    found.after = order[2]!;
    words = withoutTags(found, order[1].split(' '));
  }
  const plain = unwrapped(words.join(' '));
  found.endsWithColon = plain.endsWith(':');
  found.title = found.endsWithColon ? plain.replace(/:+$/, '').trim() || plain : plain;
  return found;
}

function withoutTags(found: Found, words: readonly string[]): string[] {
  let from = 0;
  let to = words.length;
  // The last word left is the title, whatever it looks like.
  while (to - from > 1 && tagIn(words[from]!)) from += 1;
  while (to - from > 1 && tagIn(words[to - 1]!)) to -= 1;
  for (const word of [...words.slice(0, from), ...words.slice(to)]) tagIn(word)?.(found);
  return words.slice(from, to);
}

/** What a word says when it stands at an end of a title. */
function tagIn(word: string): ((found: Found) => void) | null {
  const inner = /^[[(](.+)[\])]$/.exec(word)?.[1] ?? word;
  const type = TASK_TYPES.find((each) => word.toLowerCase() === `[${each}]`);
  if (type) return (found) => (found.type = type);
  if (word.toLowerCase() === '[notes]') return (found) => (found.isNotes = true);
  const priority = PRIORITIES.find((each) => inner === `P${each}`);
  if (priority !== undefined) return (found) => (found.priority = priority);
  if (LABEL.test(word)) {
    return ({ labels }) => labels.includes(word.slice(1)) || labels.push(word.slice(1));
  }
  const minutes = minutesOf(inner);
  return minutes === null ? null : (found) => (found.estimateMinutes = minutes);
}

const LABEL = /^#\p{L}[\p{L}\p{N}_/-]*$/u;
const PRIORITIES: readonly Priority[] = [0, 1, 2, 3, 4];

function minutesOf(word: string): number | null {
  const match = /^~(?:(\d{1,3}(?:\.\d{1,2})?)h)?(?:(\d{1,4})m(?:in)?)?$/.exec(word);
  if (!match || (match[1] === undefined && match[2] === undefined)) return null;
  return Math.round(Number(match[1] ?? 0) * 60) + Number(match[2] ?? 0);
}

/** A title that is bold as a whole is not bold. */
function unwrapped(text: string): string {
  const inner = /^(\*\*|__)(.+)\1(:?)$/.exec(text);
  return inner && !inner[2]!.includes(inner[1]!) ? inner[2]! + inner[3]! : text;
}
