/** JSON of a stranger: every field is looked at before it is used. */
export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectIn = (json: Json, key: string): Json => {
  const value = json[key];
  return isJson(value) ? value : {};
};

export const objectsIn = (json: Json, key: string): Json[] => {
  const value = json[key];
  return Array.isArray(value) ? value.filter(isJson) : [];
};

export const textIn = (json: Json, key: string): string => {
  const value = json[key];
  return typeof value === 'string' ? value : '';
};

export const numberIn = (json: Json, key: string): number | null => {
  const value = json[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};

/** A count that may be missing or nonsense. */
export const countIn = (json: Json, key: string): number => Math.max(0, numberIn(json, key) ?? 0);
