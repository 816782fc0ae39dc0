import { oneLine } from './carry.ts';

// Between a sign and what follows it: the text reads the same and links nothing.
const GAP = '\u200b';

/** Foreign text as plain words in Markdown: no markup, no link, no mention, one line. */
export function plainText(text: string, most = 300): string {
  return cut(oneLine(text), most)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_{}[\]()!|~$]/g, String.raw`\$&`)
    .replaceAll(/[@#]/g, `$&${GAP}`)
    .replaceAll('://', `:${GAP}//`)
    .replaceAll(/\b(www|GH)([.-])/gi, `$1${GAP}$2`)
    .replace(/^(\d+)([.)])/, String.raw`$1\$2`)
    .replace(/^([-+=])/, String.raw`\$1`);
}

/** Foreign text as code, also inside a table. */
export function codeSpan(text: string, most = 300): string {
  // A backslash before the one that hides the bar would hide that one instead.
  const inner = cut(oneLine(text), most)
    .replaceAll('\\|', `\\${GAP}|`)
    .replaceAll('|', String.raw`\|`);
  if (inner === '') return '(empty)';
  const longest = Math.max(0, ...(inner.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${inner}${space}${fence}`;
}

/** A table whose cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half a character at the end would not be text.
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
