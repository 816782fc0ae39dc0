/** One file that an index holds. The path as latin1, one character for each byte: it need not be text. */
export type IndexEntry = { readonly path: string; readonly mode: number; readonly id: string };

const HEADER_BYTES = 12;
/** Of an entry: its mode, and what comes before the hash. */
const MODE_AT = 24;
const STAT_BYTES = 40;
const FILES = [0o100644, 0o100755, 0o120000];
/** Of an entry's flags: anything but the length of its name (unmerged, sparse, assumed unchanged) is not plain. */
const NAME_LENGTH = 0xfff;

/**
 * The files in an index of the plainest kind, in its order; null for every other: another version, more than
 * `most` files, submodules, conflicts, flags.
 */
export function plainEntries(index: Buffer, hashBytes: number, most: number): IndexEntry[] | null {
  const isPlain = index.toString('latin1', 0, 4) === 'DIRC' && index.readUInt32BE(4) === 2;
  const count = index.readUInt32BE(8);
  if (!isPlain || count > most) return null;
  const entries: IndexEntry[] = [];
  let at = HEADER_BYTES;
  while (entries.length < count) {
    const hash = at + STAT_BYTES;
    const mode = index.readUInt32BE(at + MODE_AT);
    const flags = index.readUInt16BE(hash + hashBytes);
    if (flags >= NAME_LENGTH || !FILES.includes(mode)) return null;
    const name = hash + hashBytes + 2;
    const path = index.toString('latin1', name, name + flags);
    entries.push({ path, mode, id: index.toString('hex', hash, hash + hashBytes) });
    // At least one NUL, up to a multiple of eight bytes.
    at += Math.ceil((name + flags + 1 - at) / 8) * 8;
  }
  return entries;
}
