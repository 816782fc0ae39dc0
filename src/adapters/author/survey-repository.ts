import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { AuthorLane } from '../../domain/ship/author/lane.ts';
import { layOut, PROVENANCE_PATH } from '../../domain/ship/author/layout.ts';
import { directoryRefusal } from '../../domain/ship/author/ownership.ts';
import { ancestors, inDirectory } from '../../domain/ship/author/paths.ts';
import { parseProvenance, type Provenance } from '../../domain/ship/author/provenance.ts';
import type { Entry } from '../../domain/ship/author/survey.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { AuthorPlace, Surveyed } from '../../ports/author.ts';
import type { CommitId, NoAnswer } from '../../ports/repository.ts';
import { commitOf, fields, ioFailed, read, readBytes } from './git-steps.ts';

type Place = Pick<AuthorPlace, 'workTree' | 'git'>;

export const sha256 = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');

/** Looks at every directory that files might go into, in the working tree and in the commit. */
export async function surveyRepository(
  place: Place,
  lanes: readonly AuthorLane[],
  project: string,
): Promise<Result<Surveyed, NoAnswer>> {
  const base = await commitOf(place.git, 'HEAD');
  return base.ok ? surveyAt(place, base.value, lanes, project) : base;
}

export async function surveyAt(
  place: Place,
  base: CommitId | null,
  lanes: readonly AuthorLane[],
  project: string,
): Promise<Result<Surveyed, NoAnswer>> {
  const wanted = candidates(lanes, project);
  const directories = [...new Set([...wanted].flatMap((path) => ancestors(path)))];
  try {
    const entries: Entry[] = [];
    for (const directory of directories)
      entries.push(...(await inWorkTree(place.workTree, directory, wanted)));
    if (base === null) return ok({ base, survey: entries, provenance: null });
    for (const directory of directories) {
      const committed = await inCommit(place, base, directory, wanted);
      if (!committed.ok) return committed;
      entries.push(...committed.value);
    }
    const provenance = await provenanceAt(place, base);
    return provenance.ok ? ok({ base, survey: entries, provenance: provenance.value }) : provenance;
  } catch (cause) {
    return err(ioFailed('look at the repository', cause));
  }
}

/** Every path a lane's files could have; lanes with impossible paths are refused elsewhere. */
function candidates(lanes: readonly AuthorLane[], project: string): ReadonlySet<string> {
  const possible = lanes.filter(
    ({ path, installPath }) =>
      directoryRefusal(path) === null && directoryRefusal(installPath ?? path) === null,
  );
  return new Set([
    PROVENANCE_PATH,
    ...layOut(project, possible).flatMap((one) => [
      one.dockerfile,
      one.dockerignore,
      one.manifest,
      one.workflow,
      one.envSchema,
      // Its neighbours are looked at for lockfiles.
      inDirectory(one.lane.installPath ?? one.lane.path, 'Dockerfile'),
    ]),
  ]);
}

async function inWorkTree(
  root: string,
  directory: string,
  wanted: ReadonlySet<string>,
): Promise<readonly Entry[]> {
  const place = join(root, directory);
  const info = await lstat(place).catch(() => null);
  if (info === null || !info.isDirectory()) return [];
  // A link further up leads elsewhere; what is there is none of ours.
  if (!(await isInside(root, place))) return [];
  const found = await readdir(place, { withFileTypes: true });
  const entries: Entry[] = [];
  for (const one of found) {
    const path = inDirectory(directory, one.name);
    const sort = one.isSymbolicLink()
      ? 'symlink'
      : one.isDirectory()
        ? 'directory'
        : one.isFile()
          ? 'file'
          : 'other';
    const digest =
      sort === 'file' && wanted.has(path) ? [sha256(await readFile(join(root, path)))] : [];
    entries.push({ path, sort, digests: digest });
  }
  return entries;
}

async function isInside(root: string, path: string): Promise<boolean> {
  const [top, real] = await Promise.all([realpath(root), realpath(path)]);
  return real === top || real.startsWith(top + sep);
}

const SORTS: Readonly<Record<string, Entry['sort']>> = {
  '040000': 'directory',
  '100644': 'file',
  '100755': 'file',
  '120000': 'symlink',
  '160000': 'submodule',
};

async function inCommit(
  place: Place,
  base: CommitId,
  directory: string,
  wanted: ReadonlySet<string>,
): Promise<Result<readonly Entry[], NoAnswer>> {
  const inside = directory === '.' ? [] : [`${directory}/`];
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', base, '--', ...inside];
  const listed = await read(place.git, { args });
  if (!listed.ok) return listed;
  const entries: Entry[] = [];
  for (const row of fields(listed.value)) {
    const entry = await entryOf(place, row, wanted);
    if (!entry.ok) return entry;
    entries.push(entry.value);
  }
  return ok(entries);
}

async function entryOf(
  place: Place,
  row: string,
  wanted: ReadonlySet<string>,
): Promise<Result<Entry, NoAnswer>> {
  const [, mode = '', object = '', path = ''] = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(row) ?? [];
  const sort = SORTS[mode] ?? 'other';
  if (sort !== 'file' || !wanted.has(path)) return ok({ path, sort, digests: [] });
  const content = await blob(place, object);
  return content.ok ? ok({ path, sort, digests: [sha256(content.value)] }) : content;
}

const blob = (place: Place, object: string): Promise<Result<Buffer, NoAnswer>> =>
  readBytes(place.git, { args: ['cat-file', 'blob', object] });

async function provenanceAt(
  place: Place,
  base: CommitId,
): Promise<Result<Provenance | null, NoAnswer>> {
  const args = ['ls-tree', '-z', '--full-tree', base, '--', PROVENANCE_PATH];
  const listed = await read(place.git, { args });
  if (!listed.ok) return listed;
  const object = /^100644 blob ([0-9a-f]+)\t/.exec(listed.value)?.[1];
  if (object === undefined) return ok(null);
  const content = await blob(place, object);
  return content.ok ? ok(parseProvenance(content.value.toString('utf8'))) : content;
}
