import type { Classification, Confidence, Diagnosis, Owner, Reference } from './diagnosis.ts';

/** What a model says it found, in the right form but not yet believed. */
export type Conclusion = {
  readonly rootCause: string;
  readonly classification: Classification;
  readonly confidence: Confidence;
  readonly owned: Owner;
  readonly fix: string;
  readonly reproduction: string;
  readonly evidence: readonly Reference[];
};

const MOST_REFERENCES = 8;
const LOWER: Record<Confidence, Confidence> = { high: 'medium', medium: 'low', low: 'low' };

/**
 * Makes a card of what a model concluded, as far as it can be checked.
 *
 * `real` are those of its references that exist. What was made up costs confidence, and only a
 * fault that shows in a file Convoy wrote can be Convoy's.
 */
export function cardOf(
  lane: string,
  said: Conclusion,
  real: readonly Reference[],
  ownedFiles: readonly string[],
): Diagnosis {
  const isOurs = real.some(({ file }) => file !== undefined && ownedFiles.includes(file));
  return {
    lane,
    rootCause: withoutPatch(said.rootCause),
    classification: said.classification,
    confidence: believed(said, real.length),
    owned: said.owned === 'convoy' && isOurs ? 'convoy' : 'developer',
    fix: withoutPatch(said.fix),
    reproduction: said.reproduction,
    evidence: distinct(real).slice(0, MOST_REFERENCES),
  };
}

function believed({ confidence, evidence }: Conclusion, real: number): Confidence {
  if (real === 0) return 'low';
  return real < evidence.length ? LOWER[confidence] : confidence;
}

/** The card of the rules with what the model had really seen before it gave up. */
export function withSeen(card: Diagnosis, seen: readonly Reference[]): Diagnosis {
  return { ...card, evidence: distinct([...card.evidence, ...seen]).slice(0, MOST_REFERENCES) };
}

const REMOVED = '(a patch was left out: Convoy does not edit this for you)';
const BLOCK = /(?:```|~~~)[\s\S]*?(?:```|~~~|$)/g;
const DIFF_BEGINS =
  /^\s*(?:diff --git |index [0-9a-f]{6,}\.\.|--- \S|\+\+\+ \S|@@ |\*\*\* (?:Begin|Update|Add|Delete) )/;
const DIFF_GOES_ON = /^\s*(?:[-+@]|\*\*\*|\\ No newline|diff --git |index [0-9a-f]{6,}\.\.)|^ /;

/** Leaves the words and takes out code blocks and diffs: the medic says what to do, it never edits. */
export function withoutPatch(text: string): string {
  const kept: string[] = [];
  let inDiff = false;
  for (const line of text.replace(BLOCK, `\n${REMOVED}\n`).split('\n')) {
    inDiff = DIFF_BEGINS.test(line) || (inDiff && DIFF_GOES_ON.test(line));
    if (!inDiff) kept.push(line);
    else if (kept.at(-1) !== REMOVED) kept.push(REMOVED);
  }
  return kept
    .join('\n')
    .replace(/\n{2,}/g, '\n')
    .trim();
}

function distinct(references: readonly Reference[]): Reference[] {
  const seen = new Map(
    references.map((one) => [`${one.file ?? ''}:${one.line ?? ''}:${one.text}`, one]),
  );
  return [...seen.values()];
}
