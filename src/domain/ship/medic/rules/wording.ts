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
  readonly classification: Classification;
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
    classification: row.classification,
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
