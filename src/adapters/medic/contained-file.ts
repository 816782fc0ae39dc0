import { constants } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { err, ok } from '../../lib/result.ts';
import type { Result } from '../../lib/result.ts';
import type { ReadRefusal } from '../../ports/medic.ts';
import { isDenied } from './deny-list.ts';

export type OpenedFile = { readonly handle: FileHandle; readonly path: string };

/**
 * Opens a file for reading only if it really lies inside the root and may be read.
 *
 * The real path is judged, not the asked one, and judged again after opening: a link that is
 * swapped in between must not win.
 */
export async function openContained(
  root: string,
  asked: string,
): Promise<Result<OpenedFile, ReadRefusal>> {
  if (!isPlainPath(asked)) return err({ kind: 'bad-path', path: printable(asked) });
  const real = await realInside(root, asked);
  if (!real.ok) return real;
  const info = await lstat(real.value).catch(() => null);
  if (info === null) return err({ kind: 'not-found', path: asked });
  if (!info.isFile()) return err({ kind: 'not-a-file', path: asked });
  // Without O_NONBLOCK a pipe that appears now would hold us for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(real.value, flags).catch(() => null);
  if (handle === null) return err({ kind: 'not-found', path: asked });
  const refusal = await changedMeanwhile(root, asked, real.value, handle);
  if (refusal === null) return ok({ handle, path: insidePath(root, real.value) });
  await handle.close();
  return err(refusal);
}

async function realInside(root: string, asked: string): Promise<Result<string, ReadRefusal>> {
  const wanted = resolve(root, asked);
  if (isAbsolute(asked) || !isInside(root, wanted)) return err({ kind: 'outside', path: asked });
  if (isDenied(relative(root, wanted))) return err({ kind: 'denied', path: asked });
  const real = await realpath(wanted).catch(() => null);
  if (real === null) return err({ kind: 'not-found', path: asked });
  if (!isInside(root, real)) return err({ kind: 'outside', path: asked });
  if (isDenied(relative(root, real))) return err({ kind: 'denied', path: asked });
  return ok(real);
}

async function changedMeanwhile(
  root: string,
  asked: string,
  real: string,
  handle: FileHandle,
): Promise<ReadRefusal | null> {
  const opened = await handle.stat();
  if (!opened.isFile()) return { kind: 'not-a-file', path: asked };
  const again = await realInside(root, asked);
  if (!again.ok) return again.error;
  const named = await stat(again.value).catch(() => null);
  const same = again.value === real && named?.ino === opened.ino && named.dev === opened.dev;
  return same ? null : { kind: 'outside', path: asked };
}

const isPlainPath = (path: string): boolean =>
  path !== '' && path.length <= 4096 && !path.includes('\0') && !path.includes('\\');

const isInside = (root: string, path: string): boolean => path.startsWith(root + sep);

const insidePath = (root: string, real: string): string =>
  relative(root, real).split(sep).join('/');

const printable = (path: string): string => path.replace(/\p{Cc}/gu, '?').slice(0, 200);
