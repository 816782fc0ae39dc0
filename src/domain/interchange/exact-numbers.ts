import { fieldsFrom, isFields, type Fields } from './fields.ts';

/** JSON of the language's own, newer than our type library: the text of a number beside its value. */
type ExactJson = {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  /** Something that is written as exactly this text. */
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the runtime has it, the library does not say so
const exactJson = JSON as unknown as ExactJson;

/** Below 2^53 every integer is a double, and those have at most sixteen digits. */
const LONG_NUMBER = /\d{16}/;

/** Reads JSON so that it is written again with the same digits, however long a number is. */
export const readExactly = (text: string): unknown =>
  exactJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && JSON.stringify(value) !== source
      ? exactJson.rawJSON(source)
      : value,
  );

/** The fields of a row with a number that a double cannot hold, each as the text of its value. */
export function inexactFields(line: string): Readonly<Record<string, string>> {
  if (!LONG_NUMBER.test(line)) return {};
  const row = readExactly(line);
  if (!isFields(row)) return {};
  const inexact = Object.entries(row).filter(([, value]) => holdsRaw(value));
  return Object.fromEntries(inexact.map(([name, value]) => [name, JSON.stringify(value)]));
}

const holdsRaw = (value: unknown): boolean =>
  exactJson.isRawJSON(value) ||
  (typeof value === 'object' && value !== null && Object.values(value).some(holdsRaw));

/** A row with the digits that its fields came with, as long as nobody changed their values. */
export function withExactNumbers(row: Fields, texts: Readonly<Record<string, string>>): Fields {
  if (Object.keys(texts).length === 0) return row;
  return fieldsFrom(
    Object.entries(row).map(([name, value]) => {
      const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
      const isAsItCame =
        text !== undefined && JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
      return [name, isAsItCame ? readExactly(text) : value];
    }),
  );
}
