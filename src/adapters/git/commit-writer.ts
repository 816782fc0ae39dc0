import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { CommitId, TreeId } from '../../ports/repository.ts';
import type { View } from './view.ts';

/**
 * Stores a commit as git stores one: compressed, in a file named after its content. The name says by its
 * length which hash the repository uses. Null when it cannot be written, and git must say why.
 */
export function storeCommit(view: View, tree: TreeId, text: Buffer): CommitId | null {
  const whole = Buffer.concat([Buffer.from(`commit ${text.length}\0`), text]);
  const id = createHash(tree.length === SHA256 ? 'sha256' : 'sha1')
    .update(whole)
    .digest('hex');
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

const SHA256 = 64;
