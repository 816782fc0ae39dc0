import { laneFiles, type Draft } from './lane-files.ts';
import { oddLane, type AuthorLane } from './lane.ts';
import { layOut, PROVENANCE_PATH, type LaneLayout } from './layout.ts';
import { directoryRefusal, lanePathsOf, pathRefusal, type PathRefusal } from './ownership.ts';
import {
  recordedDigest,
  renderProvenance,
  TEMPLATE_VERSION,
  type Provenance,
} from './provenance.ts';
import { holdsSecret } from './secret-looking.ts';
import { digestsAt, hasFile, placeRefusal, type PlaceRefusal, type Survey } from './survey.ts';

export type FileAction = 'create' | 'update' | 'unchanged' | 'skip';

export type FileReason =
  | 'new'
  | 'template-changed'
  | 'replaced-as-agreed'
  | 'up-to-date'
  | 'exists-owned-by-user'
  | 'edited-by-developer';

export type PlannedFile = {
  readonly path: string;
  readonly content: string;
  readonly action: FileAction;
  readonly reason: FileReason;
  /** Null for the record, which belongs to all lanes. */
  readonly lane: string | null;
  /** What a person should know beyond the reason, such as an improvement that was not taken. */
  readonly note?: string;
};

export type RefusedFile = {
  readonly path: string;
  readonly reason:
    | PathRefusal
    | PlaceRefusal
    | 'odd-lane'
    | 'no-template'
    | 'does-not-parse'
    | 'holds-a-secret';
  readonly detail: string;
};

export type AuthorPlan = {
  readonly files: readonly PlannedFile[];
  readonly refused: readonly RefusedFile[];
};

export type AuthorInput = {
  /** The repository's name; application names begin with it. */
  readonly project: string;
  readonly lanes: readonly AuthorLane[];
  readonly survey: Survey;
  readonly provenance: Provenance | null;
  readonly generatedAt: string;
  readonly sha256: (text: string) => string;
  /** What is wrong with a file's content; empty when it parses. */
  readonly lint: (path: string, content: string) => readonly string[];
  /** Files of the user's that a person agreed to have replaced. */
  readonly agreed?: ReadonlySet<string>;
  /** Content a model offers instead of a template's; other paths are refused. */
  readonly improved?: ReadonlyMap<string, string>;
};

/** Says which files Convoy would write, with their full content, and which it will not touch. */
export function authorPlan(input: AuthorInput): AuthorPlan {
  const odd = input.lanes.flatMap((lane) => refusedLane(lane));
  const bad = new Set(odd.map(({ lane }) => lane));
  const layouts = layOut(
    input.project,
    input.lanes.filter((lane) => !bad.has(lane)).map((lane) => withoutOurImage(lane, input)),
  );
  const has = (path: string): boolean => hasFile(path, input.survey);
  const made = layouts.map((layout) => ({ layout, ...laneFiles(layout, has) }));
  const drafts = made.flatMap((one) => one.drafts);
  const judged = drafts.map((draft) => judge(draft, lanePathsOf(layouts), input));
  const files = judged.flatMap((one) => ('action' in one ? [one] : []));
  const record = recordFile(files, input);
  const kept = record !== null && 'action' in record ? [record] : [];
  return {
    files: [...files, ...kept],
    refused: [
      ...odd.map(({ refused }) => refused),
      ...made.flatMap(({ layout, withoutImage }) => missingImage(layout, withoutImage)),
      ...judged.flatMap((one) => ('action' in one ? [] : [one])),
      ...(record === null || 'action' in record ? [] : [record]),
      ...strayImprovements(drafts, input.improved),
    ],
  };
}

/** Only what really changes the repository. */
export const writtenFiles = (plan: AuthorPlan): readonly PlannedFile[] =>
  plan.files.filter(({ action }) => action === 'create' || action === 'update');

function refusedLane(lane: AuthorLane): readonly { lane: AuthorLane; refused: RefusedFile }[] {
  const path = [lane.path, lane.installPath ?? lane.path].find(
    (directory) => directoryRefusal(directory) !== null,
  );
  const shape = path === undefined ? null : directoryRefusal(path);
  if (shape !== null)
    return [{ lane, refused: { path: lane.path, reason: shape, detail: explain(shape) } }];
  const odd = oddLane(lane);
  return odd === null
    ? []
    : [
        {
          lane,
          refused: { path: lane.path, reason: 'odd-lane', detail: `Nothing was made: ${odd}.` },
        },
      ];
}

/** A Dockerfile that Convoy wrote is no reason to leave the image to the repository. */
function withoutOurImage(lane: AuthorLane, { provenance }: AuthorInput): AuthorLane {
  const ours = lane.dockerfile != null && recordedDigest(provenance, lane.dockerfile) !== null;
  return ours ? { ...lane, dockerfile: null } : lane;
}

function missingImage(layout: LaneLayout, why: string | null): readonly RefusedFile[] {
  if (why === null) return [];
  const detail = `${layout.lane.name} gets no image: ${why}.`;
  return [{ path: layout.dockerfile, reason: 'no-template', detail }];
}

function judge(
  draft: Draft,
  lanePaths: ReadonlySet<string>,
  input: AuthorInput,
): PlannedFile | RefusedFile {
  const { path, lane } = draft;
  const refusal = pathRefusal(path, lanePaths) ?? placeRefusal(path, input.survey);
  if (refusal !== null) return { path, reason: refusal, detail: explain(refusal) };
  const { content, note } = bestContent(draft, input);
  const wrong = input.lint(path, content);
  if (wrong.length > 0) return { path, reason: 'does-not-parse', detail: wrong.join('; ') };
  if (holdsSecret(content.split('\n')))
    return { path, reason: 'holds-a-secret', detail: 'Its content looks like a credential.' };
  return { path, content, lane, ...standing(path, content, input), ...(note && { note }) };
}

function bestContent(
  draft: Draft,
  { improved, lint }: AuthorInput,
): { readonly content: string; readonly note?: string } {
  const offer = improved?.get(draft.path);
  if (offer === undefined || offer === draft.content) return { content: draft.content };
  const wrong = offer.length > MOST_CHARACTERS ? ['it is too long'] : lint(draft.path, offer);
  if (wrong.length === 0 && !holdsSecret(offer.split('\n'))) return { content: offer };
  const why = wrong[0] ?? 'it holds a credential';
  return { content: draft.content, note: `An improved version was not used: ${why}.` };
}

const MOST_CHARACTERS = 64 * 1024;

/** Whose file stands there decides what may happen to it. */
function standing(
  path: string,
  content: string,
  { survey, provenance, sha256, agreed }: AuthorInput,
): { readonly action: FileAction; readonly reason: FileReason } {
  const digests = digestsAt(path, survey);
  if (digests.length === 0) return { action: 'create', reason: 'new' };
  const wanted = sha256(content);
  if (digests.every((digest) => digest === wanted))
    return { action: 'unchanged', reason: 'up-to-date' };
  const recorded = recordedDigest(provenance, path);
  // Every version seen must be as we left it: one in the commit, another in the working tree is an edit.
  if (recorded !== null && digests.every((digest) => digest === recorded || digest === wanted))
    return { action: 'update', reason: 'template-changed' };
  if (agreed?.has(path) === true) return { action: 'update', reason: 'replaced-as-agreed' };
  return recorded === null
    ? { action: 'skip', reason: 'exists-owned-by-user' }
    : { action: 'skip', reason: 'edited-by-developer' };
}

/** The record of what is ours; a file that became the developer's keeps its old digest there. */
function recordFile(
  files: readonly PlannedFile[],
  input: AuthorInput,
): PlannedFile | RefusedFile | null {
  const path = PROVENANCE_PATH;
  const refusal = placeRefusal(path, input.survey);
  if (refusal !== null) return { path, reason: refusal, detail: explain(refusal) };
  const old = input.provenance;
  const ours = files.filter(
    ({ action, path: file }) =>
      action === 'create' || action === 'update' || recordedDigest(old, file) !== null,
  );
  const digests = Object.fromEntries([
    ...Object.entries(old?.files ?? {}),
    ...ours
      .filter(({ action }) => action !== 'skip')
      .map((file) => [file.path, input.sha256(file.content)] as const),
  ]);
  if (old === null && Object.keys(digests).length === 0) return null;
  const same =
    old !== null &&
    old.templateVersion === TEMPLATE_VERSION &&
    JSON.stringify(sorted(old.files)) === JSON.stringify(sorted(digests));
  const content = renderProvenance({
    templateVersion: TEMPLATE_VERSION,
    generatedAt: same ? old.generatedAt : input.generatedAt,
    files: digests,
  });
  return { path, content, lane: null, ...recordStanding(old, same, input) };
}

function recordStanding(
  old: Provenance | null,
  same: boolean,
  { survey, agreed }: AuthorInput,
): Pick<PlannedFile, 'action' | 'reason'> {
  if (same) return { action: 'unchanged', reason: 'up-to-date' };
  if (old !== null) return { action: 'update', reason: 'template-changed' };
  if (!hasFile(PROVENANCE_PATH, survey)) return { action: 'create', reason: 'new' };
  return agreed?.has(PROVENANCE_PATH) === true
    ? { action: 'update', reason: 'replaced-as-agreed' }
    : { action: 'skip', reason: 'exists-owned-by-user' };
}

const sorted = (files: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));

function strayImprovements(
  drafts: readonly Draft[],
  improved: ReadonlyMap<string, string> | undefined,
): readonly RefusedFile[] {
  const known = new Set(drafts.map(({ path }) => path));
  return [...(improved?.keys() ?? [])]
    .filter((path) => !known.has(path))
    .map((path) => ({ path, reason: 'not-owned', detail: explain('not-owned') }));
}

const EXPLAINED: Readonly<Record<PathRefusal | PlaceRefusal, string>> = {
  'not-relative': 'It is no path inside the repository.',
  'climbs-out': 'It leads out of the repository.',
  'odd-characters': 'It holds characters that look or act like others.',
  'reserved-name': 'Some systems reserve this name.',
  'inside-git': 'It belongs to git.',
  'not-owned': 'Convoy writes only its own deployment files.',
  'through-symlink': 'A symbolic link stands there.',
  'not-a-directory': 'What should be a directory is none.',
  'not-a-file': 'What stands there is no file.',
  'name-variant': 'A file there has the same name on some systems.',
};

const explain = (reason: PathRefusal | PlaceRefusal): string => EXPLAINED[reason];
