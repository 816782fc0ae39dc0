import type { LaneLayout } from './layout.ts';
import { PROVENANCE_PATH } from './layout.ts';
import { baseOf, directoryOf, segments } from './paths.ts';

/** Why Convoy will not write a path, whatever stands there. */
export type PathRefusal =
  | 'not-relative'
  | 'climbs-out'
  | 'odd-characters'
  | 'reserved-name'
  | 'inside-git'
  | 'not-owned';

const LONGEST = 1_000;
const WORKFLOW = /^\.github\/workflows\/convoy-[a-z][a-z0-9-]{0,63}\.yml$/;

/** The only names Convoy gives to files; `<lane>` is a slug. */
const NAMES: readonly RegExp[] = [
  /^Dockerfile(?:\.[a-z][a-z0-9-]{0,63})?$/,
  /^(?:Dockerfile(?:\.[a-z][a-z0-9-]{0,63})?)?\.dockerignore$/,
  /^fly(?:\.[a-z][a-z0-9-]{0,63})?\.toml$/,
  /^(?:railway|vercel)(?:\.[a-z][a-z0-9-]{0,63})?\.json$/,
  /^service(?:\.[a-z][a-z0-9-]{0,63})?\.yaml$/,
  /^convoy\.local(?:\.[a-z][a-z0-9-]{0,63})?\.json$/,
  /^\.env(?:\.[a-z][a-z0-9-]{0,63})?\.schema$/,
];

/**
 * Says why a path may not be written, judging only its letters.
 *
 * A name of ours counts in a lane's own directory only, so that no `Dockerfile` appears in a place
 * nobody deploys from.
 */
export function pathRefusal(path: string, lanePaths: ReadonlySet<string>): PathRefusal | null {
  const shape = shapeRefusal(path);
  if (shape !== null) return shape;
  return path === PROVENANCE_PATH || WORKFLOW.test(path) || isLaneFile(path, lanePaths)
    ? null
    : 'not-owned';
}

const isLaneFile = (path: string, lanePaths: ReadonlySet<string>): boolean =>
  lanePaths.has(directoryOf(path)) && NAMES.some((name) => name.test(baseOf(path)));

/** A directory that files may go into; the root is one. */
export const directoryRefusal = (path: string): PathRefusal | null =>
  path === '.' ? null : shapeRefusal(path);

function shapeRefusal(path: string): PathRefusal | null {
  if (path === '' || path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'not-relative';
  if (path.length > LONGEST || ODD.test(path) || !path.isWellFormed()) return 'odd-characters';
  for (const part of segments(path)) {
    const refusal = segmentRefusal(part);
    if (refusal !== null) return refusal;
  }
  return null;
}

// A backslash separates, a colon opens a stream on Windows; the rest cannot be seen.
const ODD = /[\\:*?"<>|]|\p{Cc}|\p{Default_Ignorable_Code_Point}/u;

function segmentRefusal(part: string): PathRefusal | null {
  if (part === '') return 'not-relative';
  const folded = foldName(part);
  if (folded === '' || part === '.' || part === '..') return 'climbs-out';
  if (INSIDE_GIT.has(folded)) return 'inside-git';
  if (/[. ]$/.test(part) || RESERVED.test(folded)) return 'reserved-name';
  if (folded !== part && SPECIAL.has(folded)) return 'odd-characters';
  // A character that turns into a separator or a dot elsewhere is no part of a name.
  return /[/\\:]|^\.\.?$/.test(part.normalize('NFKC')) ? 'odd-characters' : null;
}

const INSIDE_GIT = new Set(['.git', 'git~1', '.gitmodules', '.gitattributes', '.gitignore']);
const SPECIAL = new Set(['.github', 'workflows', '.convoy', 'node_modules']);
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(?:\..*)?$/;

/** A name as the most forgiving file system compares it. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[. ]+$/, '');

export const lanePathsOf = (layouts: readonly LaneLayout[]): ReadonlySet<string> =>
  new Set(layouts.map(({ lane }) => lane.path));
