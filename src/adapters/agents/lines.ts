const NEWLINE = 0x0a;

export type Line = { readonly text: string } | { readonly tooLong: number };

/**
 * Cuts bytes into lines, however they arrive. Bytes that are not UTF-8 become replacement characters;
 * a line beyond `longest` bytes is counted, not kept.
 */
export function lineCutter(longest: number) {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let size = 0;
  const add = (part: Uint8Array): void => {
    size += part.length;
    // A copy: the caller may use its buffer again.
    if (size <= longest) parts.push(part.slice());
    else parts = [];
  };
  const take = (): Line => {
    const line: Line =
      size > longest ? { tooLong: size } : { text: decoder.decode(Buffer.concat(parts)) };
    parts = [];
    size = 0;
    return line;
  };
  return {
    push(bytes: Uint8Array): Line[] {
      const lines: Line[] = [];
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
        add(bytes.subarray(from, at));
        lines.push(take());
        from = at + 1;
      }
      add(bytes.subarray(from));
      return lines;
    },
    /** Forgets the line that is not complete yet. */
    drop(): void {
      parts = [];
      size = 0;
    },
    end: (): Line[] => (size === 0 ? [] : [take()]),
  };
}
