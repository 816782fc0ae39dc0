/** A parsed JSON, TOML or YAML value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** The value found by following keys downwards, or undefined. */
export function at(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let current = value;
  for (const key of keys) {
    const object = objectOf(current);
    if (!Object.hasOwn(object, key)) return undefined;
    current = object[key];
  }
  return current;
}

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function stringOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Strings of a list, or the one string given instead of a list. */
export function stringsOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return listOf(value).filter((item) => typeof item === 'string');
}

export function keysOf(value: Json | undefined): readonly string[] {
  return Object.keys(objectOf(value));
}

/** A text or a number as text; anything else is undefined. */
export function wordOf(value: Json | undefined): string | undefined {
  return typeof value === 'number' ? String(value) : stringOf(value);
}
