import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer, UnknownRevision } from '../../ports/repository.ts';
import { attributeFiles } from './attribute-files.ts';
import { failed, type Git } from './git.ts';
import { ioFailed } from './run.ts';
import type { View } from './view.ts';

/**
 * A folder that holds nothing but a commit's `.gitattributes` files.
 *
 * Merging without a checkout would miss them, and a lockfile marked `-merge` would be merged line by
 * line. Git looks for them in the directory it stands in, so it stands here.
 */
export async function attributesOf(
  git: Git,
  commit: CommitId,
): Promise<Result<string | null, UnknownRevision | NoAnswer>> {
  const before = known.get(git.view)?.get(commit);
  if (before === null || (before !== undefined && (await exists(before)))) return ok(before);
  const found = await lookFor(git, commit);
  if (found.ok) remember(git.view, commit, found.value);
  return found;
}

/** What a commit holds never changes, and the same few are merged onto again and again. */
const known = new WeakMap<View, Map<CommitId, string | null>>();
const MOST_KNOWN = 1000;

function remember(view: View, commit: CommitId, folder: string | null): void {
  const of = known.get(view) ?? new Map<CommitId, string | null>();
  known.set(view, of);
  if (of.size >= MOST_KNOWN) of.clear();
  of.set(commit, folder);
}

/** Where both sides have the same attributes, so has what is merged of them. */
export function inheritAttributes(
  view: View,
  merged: CommitId,
  ours: CommitId,
  theirs: CommitId,
): void {
  const folders = known.get(view);
  const [ofOurs, ofTheirs] = [folders?.get(ours), folders?.get(theirs)];
  if (ofOurs !== undefined && ofOurs === ofTheirs) remember(view, merged, ofOurs);
}

async function lookFor(
  git: Git,
  commit: CommitId,
): Promise<Result<string | null, UnknownRevision | NoAnswer>> {
  const files = await attributeFiles(git, commit);
  if (!files.ok) return files;
  const safe = files.value.filter(
    ({ path }) => !path.split('/').some((part) => FORBIDDEN.has(part)),
  );
  if (safe.length === 0) return ok(null);
  const key = createHash('sha256').update(JSON.stringify(safe)).digest('hex').slice(0, 32);
  const folder = join(dirname(git.view.nowhere), 'attributes', key);
  if (await exists(folder)) return ok(folder);
  return write(git, folder, safe);
}

/** No checkout would ever create these; a tree made by hand can name them. */
const FORBIDDEN = new Set(['', '.', '..', '.git']);

async function write(
  git: Git,
  folder: string,
  files: readonly { blob: string; path: string }[],
): Promise<Result<string, NoAnswer>> {
  const draft = `${folder}.${randomBytes(6).toString('hex')}`;
  try {
    for (const { blob, path } of files) {
      const args = ['cat-file', 'blob', blob];
      const content = await git.run({ args, maxBytes: MOST_BYTES, truncate: true });
      if (!content.ok) return content;
      if (content.value.code !== 0) return err(failed(args, content.value));
      await mkdir(dirname(join(draft, path)), { recursive: true });
      await writeFile(join(draft, path), content.value.stdout);
    }
    await rename(draft, folder).catch(async (error: unknown) => {
      // Someone else was as quick; theirs is the same.
      if (!(await exists(folder))) throw error;
    });
    return ok(folder);
  } catch (cause) {
    return err(ioFailed('write attributes', cause));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const MOST_BYTES = 1024 * 1024;

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
