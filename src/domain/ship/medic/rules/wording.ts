import { hits, nameOf, said, shown, traceAround } from '../case-file.ts';
import type { CaseFile, Hit, Rule } from '../case-file.ts';
import type { Candidate, Classification, Tier } from '../diagnosis.ts';
import { finding } from '../finding.ts';
import type { Place } from '../repository.ts';

/** A fault that its own words give away; the sentences may use what the pattern caught. */
export type Wording = {
  readonly rule: string;
  readonly pattern: RegExp;
  /** Lines that look alike and mean something else. */
  readonly unless?: RegExp;
  readonly tier?: Tier;
  readonly score: number;
  readonly classification: Classification | ((hit: Hit, file: CaseFile) => Classification);
  readonly subject: (hit: Hit, file: CaseFile) => string;
  readonly rootCause: (hit: Hit, file: CaseFile) => string;
  readonly fix: (hit: Hit, file: CaseFile) => string;
  /** Where in the repository it belongs, when the trace does not say. */
  readonly place?: (hit: Hit, file: CaseFile) => Place | null;
};

/** Makes a rule from a table; each row speaks once, at its first appearance. */
export function fromWordings(table: readonly Wording[]): Rule {
  return (file) =>
    table.flatMap((row) => {
      const hit = hits(file, row.pattern).find(({ text }) => row.unless?.test(text) !== true);
      return hit === undefined ? [] : [card(file, hit, row)];
    });
}

function card(file: CaseFile, hit: Hit, row: Wording): Candidate {
  const place = row.place?.(hit, file) ?? traceAround(file, hit.at)?.places[0] ?? null;
  return finding(file, {
    rule: row.rule,
    tier: row.tier ?? 'cause',
    score: row.score,
    at: hit.at,
    subject: row.subject(hit, file),
    rootCause: withPlace(row.rootCause(hit, file), place),
    classification:
      typeof row.classification === 'function' ? row.classification(hit, file) : row.classification,
    fix: row.fix(hit, file),
    evidence: [...said(file, hit.at), ...shown(file, place)],
  });
}

function withPlace(sentence: string, place: Place | null): string {
  if (place === null || sentence.includes(nameOf(place))) return sentence;
  return sentence.replace(/\.$/, ` (${nameOf(place)}).`);
}

/** What the pattern caught, first group that took part. */
export const caught = (hit: Hit, otherwise = ''): string =>
  hit.match.slice(1).find((group) => group !== undefined && group !== '') ?? otherwise;

/** A row whose sentences are plain text; `{}` stands for what the pattern caught, `{line}` for the line. */
export type PlainRow = Omit<Wording, 'subject' | 'rootCause' | 'fix' | 'score'> & {
  readonly score?: number;
  readonly says: string;
  readonly fix: string;
  /** What stands for `{}` when nothing was caught. */
  readonly otherwise?: string;
};

export function plainRow(row: PlainRow): Wording {
  const filled = (text: string, hit: Hit): string =>
    text
      .replaceAll('{}', tidy(caught(hit, row.otherwise ?? '')))
      .replaceAll('{line}', tidy(hit.text.slice(hit.match.index)));
  return {
    ...row,
    score: row.score ?? 92,
    subject: (hit) => `${row.rule}:${tidy(caught(hit))}`,
    rootCause: (hit) => filled(row.says, hit).replace(/\s+([.,:;])/g, '$1'),
    fix: (hit) => filled(row.fix, hit),
  };
}

const tidy = (text: string): string =>
  text
    .trim()
    .replace(/[.:;,\s]+$/, '')
    .slice(0, 200);
