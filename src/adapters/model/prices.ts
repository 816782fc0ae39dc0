/** US dollars for a million tokens. */
export type Price = { readonly input: number; readonly output: number };

const BY_FAMILY: readonly [RegExp, Price][] = [
  [/haiku|mini|nano|flash|lite/i, { input: 1, output: 5 }],
  [/sonnet/i, { input: 3, output: 15 }],
];

/** Counted for a name nobody knows: rather too dear than a limit that does not hold. */
const DEAR: Price = { input: 10, output: 50 };

/** What a model costs, as far as its name tells. */
export function priceOf(name: string): Price {
  return BY_FAMILY.find(([family]) => family.test(name))?.[1] ?? DEAR;
}
