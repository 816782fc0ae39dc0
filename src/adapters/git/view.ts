import { lstat, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { NoAnswer } from '../../ports/repository.ts';
import type { Place } from './locate.ts';
import { errored, ioFailed, type RunGit } from './run.ts';

/**
 * The repository as our git sees it: the same objects and refs, but a config of our own.
 *
 * A hostile `.git/config` can name programs under dozens of keys, some with free names
 * (`filter.<any>.clean`, `merge.<any>.driver`), and an agent can rewrite it at any moment. So git is
 * never shown that file: `GIT_COMMON_DIR` points at this directory, whose entries link to the real
 * ones and whose config holds only keys that cannot run anything.
 */
export type View = {
  readonly place: Place;
  readonly commonDir: string;
  /** An empty directory to stand in, so that no `.gitattributes` is picked up by accident. */
  readonly nowhere: string;
  readonly identity: { readonly name: string | null; readonly email: string | null };
};

export async function openView(
  place: Place,
  home: string,
  run: RunGit,
): Promise<Result<View, NoAnswer>> {
  const commonDir = join(home, 'view');
  const nowhere = join(home, 'nowhere');
  try {
    await mkdir(commonDir, { recursive: true });
    await mkdir(nowhere, { recursive: true });
    for (const name of DIRECTORIES) await mkdir(join(place.commonDir, name), { recursive: true });
    for (const name of [...DIRECTORIES, ...FILES]) {
      await linkTo(join(place.commonDir, name), join(commonDir, name));
    }
  } catch (cause) {
    return err(ioFailed('open the repository', cause));
  }
  const kept = await harmlessSettings(place, nowhere, run);
  if (!kept.ok) return kept;
  const bare: Setting = ['core.bare', String(place.mainWorkTree === null)];
  const written = await writeConfig(join(commonDir, 'config'), [bare, ...kept.value]);
  if (!written.ok) return written;
  const last = (key: string): string | null =>
    kept.value.findLast(([name]) => name === key)?.[1] ?? null;
  return ok({
    place,
    commonDir,
    nowhere,
    identity: { name: last('user.name'), email: last('user.email') },
  });
}

/** Settings of the repository that change how files are read and written, and can start nothing. */
const HARMLESS = new Set([
  'core.repositoryformatversion',
  'core.filemode',
  'core.symlinks',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.autocrlf',
  'core.eol',
  'core.safecrlf',
  'core.bigfilethreshold',
  'core.sparsecheckout',
  'core.sparsecheckoutcone',
  'core.logallrefupdates',
  'extensions.objectformat',
  'extensions.refstorage',
  'extensions.noop',
  'extensions.preciousobjects',
  'index.version',
  'init.defaultbranch',
  'user.name',
  'user.email',
]);
const DIRECTORIES = ['objects', 'refs', 'logs', 'worktrees', 'info'];
const FILES = ['HEAD', 'packed-refs', 'shallow', 'reftable'];

type Setting = readonly [key: string, value: string];

/** Reads a config file as data: no includes, nothing applied. */
export async function readSettings(
  file: string,
  cwd: string,
  run: RunGit,
): Promise<Result<readonly Setting[], NoAnswer>> {
  const text = await readFile(file).catch(() => null);
  if (text === null) return ok([]);
  const before = texts.get(text.toString('latin1'));
  if (before !== undefined) return ok(before);
  const listed = await run({
    args: ['config', '--file', '-', '--no-includes', '--null', '--list'],
    cwd,
    input: text,
    env: { GIT_CEILING_DIRECTORIES: cwd, GIT_DIR: '/dev/null' },
  });
  if (!listed.ok) return listed;
  if (listed.value.code !== 0)
    return err(errored('git_failed', `read ${file}`, listed.value.stderr));
  const found = listed.value.stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry): Setting => {
      const end = entry.indexOf('\n');
      // A key without `=` means true.
      return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
    });
  if (texts.size >= MOST_TEXTS) texts.clear();
  texts.set(text.toString('latin1'), found);
  return ok(found);
}

/** The same text always means the same; no file is trusted to be what it was. */
const texts = new Map<string, readonly Setting[]>();
const MOST_TEXTS = 100;

async function harmlessSettings(
  place: Place,
  cwd: string,
  run: RunGit,
): Promise<Result<readonly Setting[], NoAnswer>> {
  const shared = await readSettings(join(place.commonDir, 'config'), cwd, run);
  return shared.ok ? ok(shared.value.filter(([key]) => HARMLESS.has(key))) : shared;
}

async function writeConfig(
  file: string,
  kept: readonly Setting[],
): Promise<Result<void, NoAnswer>> {
  const text = kept.map(([key, value]) => line(key, value)).join('');
  try {
    if ((await readFile(file, 'utf8').catch(() => null)) === text) return ok(undefined);
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, text);
    await rename(draft, file);
    return ok(undefined);
  } catch (cause) {
    return err(ioFailed('write the view config', cause));
  }
}

/** Every harmless key has exactly one dot, so a section never needs quoting. */
function line(key: string, value: string): string {
  const [section = '', name = ''] = key.split('.');
  const quoted = value.replace(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
  return `[${section}]\n\t${name} = "${quoted}"\n`;
}

async function linkTo(target: string, link: string): Promise<void> {
  if ((await readlink(link).catch(() => null)) === target) return;
  if ((await lstat(link).catch(() => null)) !== null) await rm(link, { recursive: true });
  try {
    await symlink(target, link);
  } catch (error) {
    // Another process may have made the same link in between.
    if ((await readlink(link).catch(() => null)) !== target) throw error;
  }
}
