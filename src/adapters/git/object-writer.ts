import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { View } from './view.ts';

export type NewObject = {
  readonly type: 'commit' | 'tree';
  readonly content: Buffer;
  /** Of the hash that the repository uses. */
  readonly hashBytes: number;
};

/** The name that git gives to an object, and what it compresses and stores. */
export function named({ type, content, hashBytes }: NewObject): { id: string; whole: Buffer } {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const hash = createHash(hashBytes === SHA256_BYTES ? 'sha256' : 'sha1');
  return { id: hash.update(whole).digest('hex'), whole };
}

/**
 * Stores an object as git stores one: compressed, in a file named after its content. Null when it cannot be
 * written, and git must say why.
 */
export function storeObject(view: View, object: NewObject): string | null {
  const { id, whole } = named(object);
  const file = join(view.place.commonDir, 'objects', id.slice(0, 2), id.slice(2));
  if (existsSync(file)) return id;
  // A name of git's own for what is half written, which it clears away.
  const draft = join(dirname(file), `tmp_obj_${randomBytes(6).toString('hex')}`);
  try {
    writeNew(draft, deflateSync(whole, { level: 1 }));
    // Whoever was there first wrote the same.
    renameSync(draft, file);
    return id;
  } catch {
    rmSync(draft, { force: true });
    return existsSync(file) ? id : null;
  }
}

/** The folder is there in all but the first few cases. */
function writeNew(file: string, content: Buffer): void {
  const write = (): void => writeFileSync(file, content, { mode: 0o444, flag: 'wx' });
  try {
    write();
  } catch {
    mkdirSync(dirname(file), { recursive: true });
    write();
  }
}

const SHA256_BYTES = 32;
