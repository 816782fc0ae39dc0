import { authorPlan, writtenFiles } from '../../domain/ship/author/author-plan.ts';
import { layOut, PROVENANCE_PATH } from '../../domain/ship/author/layout.ts';
import { directoryRefusal, lanePathsOf, pathRefusal } from '../../domain/ship/author/ownership.ts';
import { parseProvenance } from '../../domain/ship/author/provenance.ts';
import { holdsSecret } from '../../domain/ship/author/secret-looking.ts';
import { placeRefusal } from '../../domain/ship/author/survey.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type {
  AuthorPlace,
  AuthorRefusal,
  AuthorRequest,
  PlannedFile,
  Surveyed,
} from '../../ports/author.ts';
import type { NoAnswer } from '../../ports/repository.ts';
import { lintFile } from './lint.ts';
import { sha256, surveyAt } from './survey-repository.ts';

/**
 * Says which files may really be written, before git is told anything.
 *
 * A plan may be days old or edited by hand, so nothing in it is believed: paths, content and whose
 * file stands there are judged again.
 */
export async function agreedFiles(
  place: Pick<AuthorPlace, 'git' | 'workTree'>,
  request: AuthorRequest,
): Promise<Result<readonly PlannedFile[], AuthorRefusal | NoAnswer>> {
  const files = writtenFiles({ files: request.files, refused: [] });
  for (const file of files) {
    const refusal = badFile(file, request);
    if (refusal !== null) return err(refusal);
  }
  const surveyed = await surveyAt(place, request.base, request.lanes, request.project);
  if (!surveyed.ok) return surveyed;
  const standing = badPlace(files, surveyed.value) ?? changed(files, request, surveyed.value);
  return standing === null ? ok(files) : err(standing);
}

function badFile({ path, content }: PlannedFile, request: AuthorRequest): AuthorRefusal | null {
  const possible = request.lanes.filter((lane) => directoryRefusal(lane.path) === null);
  const reason = pathRefusal(path, lanePathsOf(layOut(request.project, possible)));
  if (reason !== null) return { kind: 'not_owned', path, reason };
  const problems = [
    ...lintFile(path, content),
    ...(holdsSecret(content.split('\n')) ? ['it holds a credential'] : []),
  ];
  return problems.length === 0 ? null : { kind: 'does_not_parse', path, problems };
}

function badPlace(files: readonly PlannedFile[], { survey }: Surveyed): AuthorRefusal | null {
  for (const { path } of files) {
    const reason = placeRefusal(path, survey);
    if (reason !== null) return { kind: 'not_owned', path, reason };
  }
  const folded = files.map(({ path }) => path.toLowerCase());
  const twice = files.find(({ path }, at) => folded.indexOf(path.toLowerCase()) !== at);
  return twice === undefined
    ? null
    : { kind: 'not_owned', path: twice.path, reason: 'named twice' };
}

/** A file that would be treated otherwise now was not what the approval was about. */
function changed(
  files: readonly PlannedFile[],
  request: AuthorRequest,
  surveyed: Surveyed,
): AuthorRefusal | null {
  const record = request.files.find(({ path }) => path === PROVENANCE_PATH);
  const shownAt = parseProvenance(record?.content ?? '')?.generatedAt;
  const now = authorPlan({
    ...request,
    ...surveyed,
    generatedAt: shownAt ?? new Date(request.at).toISOString(),
    sha256,
    lint: lintFile,
    improved: new Map(request.files.map(({ path, content }) => [path, content])),
  });
  const paths = files
    .filter((file) => {
      const found = now.files.find(({ path }) => path === file.path);
      return found?.action !== file.action || found.content !== file.content;
    })
    .map(({ path }) => path);
  return paths.length === 0 ? null : { kind: 'changed_since_shown', paths };
}
