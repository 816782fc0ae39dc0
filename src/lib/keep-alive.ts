/** Decides whether this process stays for the sake of a child and its pipes; parts that cannot do so are passed over. */
export function keepAlive(parts: readonly unknown[], stays: boolean): void {
  for (const part of parts) {
    if (!isHeld(part)) continue;
    if (stays) part.ref();
    else part.unref();
  }
}

type Held = { ref(): unknown; unref(): unknown };

const isHeld = (part: unknown): part is Held =>
  typeof part === 'object' && part !== null && 'ref' in part && 'unref' in part;
