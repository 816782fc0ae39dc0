import type { Convoy } from '../convoy/convoy.ts';

/** Where a name leads: two names with the same address are one reader. */
export type AddressOf = (name: string) => string;

/**
 * Who is told: the owner, whom the convoy names, who watches, and the workspace's default, each
 * address once under the first name that leads there.
 */
export function addressees(
  convoy: Pick<Convoy, 'options' | 'watchers'> | null,
  byDefault: readonly string[],
  addressOf: AddressOf,
): string[] {
  const names = [
    convoy?.options.owner ?? null,
    ...(convoy?.options.notify ?? []),
    ...(convoy?.watchers ?? []),
    ...byDefault,
  ];
  const found = new Map<string, string>();
  for (const name of names) {
    const trimmed = name?.trim() ?? '';
    if (trimmed === '') continue;
    const address = addressOf(trimmed);
    if (!found.has(address)) found.set(address, trimmed);
  }
  return [...found.values()];
}
