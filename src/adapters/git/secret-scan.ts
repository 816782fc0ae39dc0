import type { SecretFinding } from '../../ports/repository.ts';

/** Looks for secrets in the lines a diff adds. */
export function scanForSecrets(diff: string): SecretFinding[] {
  return addedLines(diff).flatMap(({ file, line, text }) => {
    const rule = ruleFor(text);
    return rule === null ? [] : [{ file, line, rule }];
  });
}

type AddedLine = { readonly file: string; readonly line: number; readonly text: string };

/** Known shapes first: a named rule says more than "looks random". */
const RULES: readonly (readonly [rule: string, shape: RegExp])[] = [
  ['private-key', /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  ['aws-access-key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['github-token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b/],
  ['slack-token', /\bxox[abeprs]-[A-Za-z0-9-]{10,}/],
  ['slack-webhook', /hooks\.slack\.com\/services\/T[A-Z0-9]+\/B[A-Z0-9]+\/[A-Za-z0-9]{16,}/],
  ['npm-token', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['npm-token', /:_authToken\s*=\s*(?!\$\{)[A-Za-z0-9+/=_-]{16,}/],
  ['anthropic-key', /\bsk-ant-[A-Za-z0-9]+-[A-Za-z0-9_-]{20,}/],
  ['openai-key', /\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}/],
  ['google-api-key', /\bAIza[0-9A-Za-z_-]{35}\b/],
  ['stripe-key', /\b[rs]k_live_[A-Za-z0-9]{16,}\b/],
  ['password-in-url', /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]+:(?!\$|<|\*|x{3}|password@)[^\s:/@]{6,}@/i],
];

const ASSIGNMENT =
  /(?:secret|token|passw(?:or)?d|api_?key|access_?key|private_?key|credential)[a-z0-9_]*["']?\s*(?:=|:|=>|:=)\s*["'`]?([A-Za-z0-9+/=_.~-]{20,})/i;

function ruleFor(text: string): string | null {
  // A minified bundle is one endless line; patterns need not run over all of it.
  const line = text.slice(0, LONGEST_LINE);
  const known = RULES.find(([, shape]) => shape.test(line));
  if (known !== undefined) return known[0];
  const value = ASSIGNMENT.exec(line)?.[1];
  return value !== undefined && looksRandom(value) ? 'high-entropy-assignment' : null;
}

const LONGEST_LINE = 10_000;
const RANDOM_BITS = 3.7;

/** Words, paths and property names repeat letters and rarely mix in digits. */
function looksRandom(value: string): boolean {
  const mixed = /[0-9]/.test(value) && /[A-Za-z]/.test(value);
  return mixed && !/^[a-z]+(?:[._/-][a-z0-9]+)+$/i.test(value) && entropy(value) >= RANDOM_BITS;
}

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => {
    const share = count / text.length;
    return bits - share * Math.log2(share);
  }, 0);
}

function addedLines(diff: string): AddedLine[] {
  const added: AddedLine[] = [];
  let file = '';
  let line = 0;
  let left = { old: 0, new: 0 };
  for (const text of diff.split('\n')) {
    const inHunk = left.old > 0 || left.new > 0;
    const hunk = inHunk ? null : /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
    if (hunk !== null) {
      line = Number(hunk[2]);
      left = { old: Number(hunk[1] ?? 1), new: Number(hunk[3] ?? 1) };
    } else if (inHunk) {
      if (text.startsWith('+')) added.push({ file, line, text: text.slice(1) });
      const moved = spent(text);
      left = { old: left.old - moved.old, new: left.new - moved.new };
      line += moved.new;
    } else if (text.startsWith('+++ ')) {
      file = fileName(text.slice(4));
    }
  }
  return added;
}

/** Counting lines keeps a removed `-- a/x` from being read as a file header. */
function spent(text: string): { old: number; new: number } {
  if (text.startsWith('+')) return { old: 0, new: 1 };
  if (text.startsWith('-')) return { old: 1, new: 0 };
  return text.startsWith('\\') ? { old: 0, new: 0 } : { old: 1, new: 1 };
}

function fileName(header: string): string {
  // Git ends a name that holds blanks with a tab.
  const name = header.replace(/\t$/, '');
  return name.replace(/^"?b\//, '').replace(/"$/, '');
}
