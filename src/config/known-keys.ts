import * as z from 'zod';
import { configSchema } from './schema.ts';
import { valueAt, type Table } from './tree.ts';

/** The keys that may stand in the table at a path of this document, in the schema's order. */
export function knownKeys(path: readonly string[], config: Table): readonly string[] {
  let schema: z.core.$ZodType | undefined = configSchema;
  for (const [depth, part] of path.entries()) {
    schema = inside(schema, part, valueAt(config, path.slice(0, depth)));
  }
  const table = asTable(schema, valueAt(config, path));
  return table === undefined ? [] : Object.keys(table.shape);
}

function inside(
  schema: z.core.$ZodType | undefined,
  part: string,
  value: unknown,
): z.core.$ZodType | undefined {
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodRecord) return plain.valueType;
  if (plain instanceof z.ZodArray) return plain.element;
  return asTable(plain, value)?.shape[part];
}

/** Of a union, the member that the table's own `sink` asks for. */
function asTable(schema: z.core.$ZodType | undefined, value: unknown): z.ZodObject | undefined {
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodObject) return plain;
  if (!(plain instanceof z.ZodDiscriminatedUnion)) return undefined;
  const key = plain.def.discriminator;
  const chosen = plain.options.find(
    (option) =>
      option instanceof z.ZodObject &&
      z.safeParse(option.shape[key] ?? z.never(), valueAt(value, [key])).success,
  );
  return chosen instanceof z.ZodObject ? chosen : undefined;
}

function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let plain = schema;
  while (
    plain instanceof z.ZodDefault ||
    plain instanceof z.ZodPrefault ||
    plain instanceof z.ZodOptional
  ) {
    plain = plain.unwrap();
  }
  return plain;
}
