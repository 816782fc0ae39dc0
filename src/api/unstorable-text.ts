export type Unstorable = { readonly path: string[]; readonly message: string };

/**
 * Finds the first text that a database cannot hold: one with a NUL, or with half of a surrogate
 * pair. Checked once for every request, so that both engines refuse the same things.
 */
export function unstorableText(parts: readonly unknown[]): Unstorable | null {
  for (const part of parts) {
    const found = find(part, []);
    if (found !== null) return found;
  }
  return null;
}

function find(value: unknown, path: string[]): Unstorable | null {
  if (typeof value === 'string') {
    const message = wrongWith(value);
    return message === null ? null : { path, message };
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const message = wrongWith(key);
    if (message !== null) return { path, message };
    const found = find(inner, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

function wrongWith(text: string): string | null {
  if (text.includes('\0')) return 'text may not contain a NUL character';
  if (!text.isWellFormed()) return 'text may not contain half of a surrogate pair';
  return null;
}
