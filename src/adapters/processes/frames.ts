/** Two lengths of four bytes, then that much JSON and that many bytes. */
export type Frame = { readonly head: Readonly<Record<string, unknown>>; readonly bytes: Buffer };

const LENGTHS = 8;

export function frameOf(head: Readonly<Record<string, unknown>>, bytes?: Buffer): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(LENGTHS);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(bytes?.length ?? 0, 4);
  return Buffer.concat(bytes === undefined ? [lengths, text] : [lengths, text, bytes]);
}

/** Takes a stream in pieces and tells of every whole frame. */
export function framesIn(tell: (frame: Frame) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let size = 0;
  let needed = LENGTHS;
  return (chunk) => {
    pieces.push(chunk);
    size += chunk.length;
    // Pieces are joined only when there are enough of them: a large frame comes in thousands.
    while (size >= needed) {
      const text: Buffer = pieces.length === 1 ? (pieces[0] ?? chunk) : Buffer.concat(pieces);
      const head = text.readUInt32LE(0);
      needed = LENGTHS + head + text.readUInt32LE(4);
      pieces = [text];
      if (size < needed) return;
      tell({
        head: JSON.parse(text.toString('utf8', LENGTHS, LENGTHS + head)),
        bytes: text.subarray(LENGTHS + head, needed),
      });
      pieces = [text.subarray(needed)];
      size -= needed;
      needed = LENGTHS;
    }
  };
}
