/** One file of the developer's uncommitted work, as the gate shows it. */
export type CarriedFile = {
  readonly path: string;
  /** The name before, when it was renamed. */
  readonly from: string | null;
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type_changed';
  /** Lines, or null for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly diff: string;
  readonly truncated: boolean;
};

export type WithheldReason =
  | 'secret-name'
  | 'secret-content'
  | 'copy-of-a-secret'
  | 'nested-repository'
  | 'submodule'
  | 'convoy-state'
  | 'installed-packages'
  | 'unreadable'
  | 'too-large';

export type WithheldFile = { readonly path: string; readonly reason: WithheldReason };

/** The developer's uncommitted work on top of a commit; `tree` is what was shown, to the byte. */
export type CarryPlan = {
  readonly base: string;
  readonly tree: string;
  readonly files: readonly CarriedFile[];
  readonly withheld: readonly WithheldFile[];
};

export const carriesNothing = (plan: CarryPlan): boolean => plan.files.length === 0;

const INSTALLED = new Set(['node_modules', '.venv', '__pycache__', '.gradle', '.build']);

/** The directory of installed packages a new file lies in, or null; nobody means to commit those. */
export function installedDirectory(path: string): string | null {
  const parts = path.split('/');
  const at = parts.slice(0, -1).findIndex((part) => INSTALLED.has(part));
  return at < 0 ? null : `${parts.slice(0, at + 1).join('/')}/`;
}

/** A row of `git diff-index --raw -z`. */
export type RawChange = {
  readonly path: string;
  readonly from: string | null;
  readonly change: CarriedFile['change'];
  readonly oldMode: string;
  readonly newMode: string;
  readonly blob: string;
};

const CHANGES: Readonly<Record<string, CarriedFile['change']>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  T: 'type_changed',
};

/** Reads git's list of changes; names may hold anything but a zero byte. */
export function parseRawChanges(text: string): readonly RawChange[] {
  const fields = text.split('\0');
  const changes: RawChange[] = [];
  let at = 0;
  while (at < fields.length) {
    const row = /^:(\d{6}) (\d{6}) [0-9a-f]+ ([0-9a-f]+) ([A-Z])\d*$/.exec(fields[at] ?? '');
    const moved = row?.[4] === 'R' || row?.[4] === 'C';
    if (row !== null) changes.push(changeOf(row, fields.slice(at + 1, at + (moved ? 3 : 2))));
    at += moved ? 3 : row === null ? 1 : 2;
  }
  return changes;
}

function changeOf(row: RegExpExecArray, names: readonly string[]): RawChange {
  const [, oldMode = '', newMode = '', blob = '', letter = ''] = row;
  return {
    path: names.at(-1) ?? '',
    from: letter === 'R' ? (names[0] ?? null) : null,
    change: letter === 'C' ? 'added' : (CHANGES[letter] ?? 'modified'),
    oldMode,
    newMode,
    blob,
  };
}

/** The lines a patch adds, without their sign. */
export function addedLines(patch: string): readonly string[] {
  const start = patch.search(/^@@ /m);
  if (start < 0) return [];
  return patch
    .slice(start)
    .split('\n')
    .filter((line) => line.startsWith('+'))
    .map((line) => line.slice(1));
}

/** How many lines a patch adds and removes; null when git calls the file binary. */
export function countLines(patch: string): Pick<CarriedFile, 'added' | 'removed'> {
  const start = patch.search(/^@@ /m);
  if (start < 0)
    return /^Binary files /m.test(patch)
      ? { added: null, removed: null }
      : { added: 0, removed: 0 };
  const lines = patch.slice(start).split('\n');
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count('+'), removed: count('-') };
}

const LONGEST_SUBJECT = 72;

/** The message of the developer's own commit: what the diagnosis called the fault, and each file. */
export function fixMessage(subject: string, plan: CarryPlan): string {
  const plain = oneLine(subject).replace(/^fix:\s*/i, '');
  const words = plain === '' ? 'carry the uncommitted changes' : plain;
  const title = `fix: ${words}`;
  const short =
    title.length <= LONGEST_SUBJECT ? title : `${title.slice(0, LONGEST_SUBJECT - 1).trimEnd()}…`;
  const names = plan.files.map(({ path, from }) =>
    from === null ? `- ${oneLine(path)}` : `- ${oneLine(from)} -> ${oneLine(path)}`,
  );
  const shown = names.slice(0, MOST_NAMES);
  const rest = names.length > shown.length ? [`- and ${names.length - shown.length} more`] : [];
  return `${short}\n\nCarried from the working tree, where it was uncommitted:\n${[...shown, ...rest].join('\n')}\n`;
}

const MOST_NAMES = 50;

/** Text on one line without anything that cannot be seen. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
