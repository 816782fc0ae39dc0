import { rerun } from './case-file.ts';
import type { CaseFile } from './case-file.ts';
import type { Candidate, Owner, Reference } from './diagnosis.ts';

type Finding = Omit<Candidate, 'owned' | 'reproduction'> & {
  readonly owned?: Owner;
  readonly reproduction?: string;
};

/** Completes what a rule found: a fault in a file Convoy wrote is Convoy's, the rest is the developer's. */
export function finding(file: CaseFile, found: Finding): Candidate {
  return {
    ...found,
    owned: found.owned ?? ownerOf(file, found.evidence),
    reproduction: found.reproduction ?? rerun(file),
    evidence: unique(found.evidence),
  };
}

function ownerOf(file: CaseFile, evidence: readonly Reference[]): Owner {
  const first = evidence.find((reference) => reference.file !== undefined)?.file;
  return first !== undefined && file.evidence.ownedFiles.includes(first) ? 'convoy' : 'developer';
}

function unique(references: readonly Reference[]): Reference[] {
  const seen = new Set<string>();
  return references.filter((reference) => {
    const key = `${reference.file ?? ''}:${reference.line ?? ''}:${reference.text}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
