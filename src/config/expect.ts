import * as z from 'zod';
import { durationMs } from './duration.ts';

// Every schema's error says only what was expected; the reader adds the key, the line and what was
// found instead.

export const text = (expected = 'a text that is not empty') =>
  z.string({ error: expected }).refine((value) => value.trim() !== '', { error: expected });

export const matching = (shape: RegExp, expected: string) =>
  z.string({ error: expected }).regex(shape, { error: expected });

export const flag = () => z.boolean({ error: 'true or false' });

export function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return z.enum(words, { error: `one of ${words.map((word) => `"${word}"`).join(', ')}` });
}

export function wholeNumber(least: number) {
  const error = `a whole number of at least ${least}`;
  return z.int({ error }).min(least, { error });
}

export function numberFrom(least: number) {
  const error = `a number of at least ${least}`;
  return z.number({ error }).min(least, { error });
}

/** A share of one: greater than 0, at most 1. */
export function share() {
  const error = 'a number above 0 and at most 1';
  return z.number({ error }).gt(0, { error }).max(1, { error });
}

export function argv(error = 'a list of words such as ["npm", "test"], the program first') {
  return z
    .array(z.string({ error: 'a text' }), { error })
    .refine(([program]) => program !== undefined && program.trim() !== '', { error });
}

export const listOf = <Item extends z.ZodType>(item: Item, expected: string) =>
  z.array(item, { error: expected });

export const variables = () =>
  listOf(
    matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable'),
    'a list of names of environment variables',
  );

export function duration(least: 'positive' | 'zero') {
  const error = `a duration such as "90s" or "1h30m", or a number of seconds${least === 'positive' ? ', above 0' : ''}`;
  return z.union([z.string(), z.number()], { error }).transform((written, context) => {
    const ms = durationMs(written);
    if (ms !== null && (ms > 0 || least === 'zero')) return ms;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
}

export const webAddress = () => {
  const error = 'an http:// or https:// address';
  return z.string({ error }).refine((value) => /^https?:$/.test(protocolOf(value)), { error });
};

export const table = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, { error: 'a table' });

export const tablesByName = <Item extends z.ZodType>(item: Item) =>
  z.record(z.string(), item, { error: 'a table of tables' });

const protocolOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).protocol : '';
