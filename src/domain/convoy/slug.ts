import type { ConvoyId, TaskId } from '../work/ids.ts';
import type { Convoy } from './convoy.ts';

export const LONGEST_SLUG = 40;
const WHEN_EMPTY = 'convoy';

/** Turns a title into the part of a branch name that people recognise. */
export function slug(title: string): string {
  const words = transliterated(title)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, '');
  return words === '' ? WHEN_EMPTY : words;
}

/** Letters that do not come apart into a plain letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

const transliterated = (title: string): string =>
  title
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøđðłþı]/g, (letter) => LETTERS[letter] ?? letter);

export type BranchNames = {
  readonly head: string;
  readonly task: (id: TaskId, attempt: number) => string;
  readonly epic: (id: TaskId) => string;
};

/** The branches of one convoy; siblings in one folder, so that none is a folder of another. */
export function branchNames(slugged: string, convoy: ConvoyId): BranchNames {
  const folder = `convoy/${slugged}/${refPart(convoy)}`;
  return {
    head: `${folder}/head`,
    task: (id, attempt) => `${folder}/task/${refPart(id)}-${attempt}`,
    epic: (id) => `${folder}/epic/${refPart(id)}/head`,
  };
}

/** The branches of a convoy as they are called now. */
export const branchesOf = (convoy: Pick<Convoy, 'id' | 'title' | 'branchSlug'>): BranchNames =>
  branchNames(convoy.branchSlug ?? slug(convoy.title), convoy.id);

/** The same name with a number, where the first is taken; never longer than a slug may be. */
export const numbered = (slugged: string, number: number): string =>
  number === 1
    ? slugged
    : `${slugged.slice(0, LONGEST_SLUG - String(number).length - 1).replace(/-$/, '')}-${number}`;

/**
 * An id as git accepts it in a branch name.
 *
 * Imported ids may hold anything. What git would refuse is written as `%` and its number, so that
 * two ids never share a branch; ids of our own come out as they are.
 */
function refPart(id: string): string {
  return id.replaceAll(/[^\w.-]/gu, escaped).replaceAll(/^[.-]|\.(?=\.)|\.$|\.(?=lock$)/g, escaped);
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // Of a fixed length each, so that what follows cannot be read as part of the number.
  return code < 256
    ? `%${code.toString(16).padStart(2, '0')}`
    : `%u${code.toString(16).padStart(6, '0')}`;
}
