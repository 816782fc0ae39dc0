import { err, ok, type Result } from '../../lib/result.ts';

export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a reviewer has to say about one place, or with no file about the whole. */
export type Finding = {
  readonly file: string | null;
  readonly line: number | null;
  readonly severity: Severity;
  readonly text: string;
};

export type ReviewVerdict = {
  readonly verdict: 'approve' | 'reject';
  readonly findings: readonly Finding[];
};

const MOST_FINDINGS = 200;
const LONGEST_TEXT = 4000;
const LONGEST_FILE = 1000;

/** Other reviewers have other words for how bad it is. */
const SPELLINGS: Readonly<Record<string, Severity>> = {
  blocker: 'error',
  blocking: 'error',
  critical: 'error',
  fatal: 'error',
  high: 'error',
  major: 'error',
  low: 'info',
  minor: 'info',
  nit: 'info',
  note: 'info',
  suggestion: 'info',
};

/**
 * Reads what a reviewer handed in.
 *
 * Anything that is not plainly an approval is none: a word that is not exactly `approve`, findings
 * that are no list, a finding without text.
 */
export function readVerdict(value: unknown): Result<ReviewVerdict, string> {
  if (!isObject(value)) return err('the verdict is no object');
  const { verdict, findings = [] } = value;
  if (verdict !== 'approve' && verdict !== 'reject')
    return err('the verdict is neither "approve" nor "reject"');
  if (!Array.isArray(findings)) return err('the findings are no list');
  const read: Finding[] = [];
  for (const [index, finding] of findings.slice(0, MOST_FINDINGS).entries()) {
    const one = readFinding(finding);
    if (one === null) return err(`finding ${index + 1} has no text`);
    read.push(one);
  }
  return ok({ verdict, findings: read });
}

/** The same from text, which must be the verdict and nothing else. */
export function readVerdictText(text: string): Result<ReviewVerdict, string> {
  // Only a fence around the whole is taken off: a verdict that is quoted somewhere in prose,
  // perhaps from the very change under review, is not the reviewer's.
  const inner = /^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(text.trim())?.[1] ?? text;
  try {
    return readVerdict(JSON.parse(inner));
  } catch {
    return err(text.trim() === '' ? 'the reviewer said nothing' : 'the verdict is no JSON');
  }
}

function readFinding(value: unknown): Finding | null {
  if (!isObject(value)) return null;
  const { file, line, severity, text } = value;
  if (typeof text !== 'string' || text.trim() === '') return null;
  const isLine = typeof line === 'number' && Number.isSafeInteger(line) && line > 0;
  const isFile = typeof file === 'string' && file.trim() !== '';
  return {
    file: isFile ? file.trim().slice(0, LONGEST_FILE) : null,
    line: isFile && isLine ? line : null,
    severity: severityOf(severity),
    text: text.trim().slice(0, LONGEST_TEXT),
  };
}

function severityOf(value: unknown): Severity {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return SEVERITIES.find((one) => one === word) ?? SPELLINGS[word] ?? 'warning';
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One reviewer may answer in two places; if either says no, it is no. */
export const strictest = (
  one: ReviewVerdict | null,
  other: ReviewVerdict | null,
): ReviewVerdict | null =>
  one === null || (other !== null && other.verdict === 'reject') ? other : one;
