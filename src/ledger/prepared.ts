import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

const names = new Map<string, string>();

/** The name under which a server may keep a hot statement parsed; none for any other. */
export const statementName = (text: string): string | undefined => names.get(text);

/**
 * Builds and compiles a hot query once per engine; afterwards only the values change. The builder
 * is run with place holders, so it must not look at the values it is given.
 */
export function prepared<V extends Record<string, unknown>, Row>(
  keys: readonly (keyof V & string)[],
  build: (db: Kysely<Tables>, values: V) => Compilable<Row>,
): (db: Kysely<Tables>, values: V) => Promise<Row[]> {
  const templates = new Map<unknown, { query: CompiledQuery<Row>; order: readonly string[] }>();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- place holders stand for values of any type
  const holders = Object.fromEntries(keys.map((key) => [key, holder(key)])) as V;
  return async (db, values) => {
    const executor = db.getExecutor();
    const engine = executor.adapter.constructor;
    let template = templates.get(engine);
    if (template === undefined) {
      const query = build(db, holders).compile();
      template = { query, order: query.parameters.map((value) => keyOf(value, query.sql)) };
      templates.set(engine, template);
      if (!names.has(query.sql)) names.set(query.sql, `convoy_${names.size}`);
    }
    const parameters = template.order.map((key) => values[key]);
    const query: CompiledQuery<Row> = { ...template.query, parameters };
    const { rows } = await executor.executeQuery<Row>(query);
    return rows;
  };
}

const MARK = '\u0000value:';
const holder = (key: string): string => MARK + key;

function keyOf(value: unknown, sql: string): string {
  if (typeof value === 'string' && value.startsWith(MARK)) return value.slice(MARK.length);
  throw new Error(`A prepared query may hold only values it was given: ${sql}`);
}
