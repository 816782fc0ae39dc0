/** One file of a diff in git's form, with its lines as they stand there. */
export type DiffFile = {
  readonly path: string;
  readonly text: string;
  readonly added: readonly { readonly line: number; readonly text: string }[];
  readonly removed: number;
};

/** Takes a diff apart by files; what stands before the first one belongs to none. */
export function diffFiles(diff: string): DiffFile[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map(readFile);
}

function readFile(text: string): DiffFile {
  const lines = text.replace(/\n$/, '').split('\n');
  const added: { line: number; text: string }[] = [];
  let removed = 0;
  let at: number | null = null;
  for (const line of lines) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk !== null) at = Number(hunk[1]);
    else if (at === null) continue;
    else if (line.startsWith('+')) added.push({ line: at++, text: line.slice(1) });
    else if (line.startsWith('-')) removed += 1;
    else if (!line.startsWith('\\')) at += 1;
  }
  return { path: pathOf(lines), text: lines.join('\n'), added, removed };
}

/** The name after the change, or before it where the file is gone. */
function pathOf(lines: readonly string[]): string {
  const head = lines.slice(0, lines.findIndex((line) => line.startsWith('@@')) + 1 || lines.length);
  const named = (mark: string): string | undefined =>
    head.find((line) => line.startsWith(mark) && !line.endsWith('/dev/null'))?.slice(mark.length);
  const path = named('+++ ') ?? named('--- ') ?? named('rename to ');
  if (path !== undefined) return plain(path.replace(/\t.*$/, ''));
  return plain(/ ("?b\/.*)$/.exec(lines[0] ?? '')?.[1] ?? '');
}

const plain = (path: string): string => path.replace(/^"(.*)"$/, '$1').replace(/^[ab]\//, '');
