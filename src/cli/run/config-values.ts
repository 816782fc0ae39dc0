import type { OutputOf } from '../../contract/route.ts';
import type { getConfig } from '../../contract/routes/system.ts';

export type ConfigValue = OutputOf<typeof getConfig>['values'][number];

/** The value of a key, or all values of a section. */
export const valuesUnder = (values: readonly ConfigValue[], key: string): ConfigValue[] =>
  values.filter((value) => value.key === key || value.key.startsWith(`${key}.`));

/** Text stays bare so that scripts can use it; everything else is JSON. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
