const DEEPEST = 8;

type Schema = Readonly<Record<string, unknown>>;

/** A JSON schema as indented lines that a person reads at a glance. */
export function schemaLines(schema: unknown, document: object, depth = 0): string[] {
  const { properties, required } = resolved(schema, document);
  if (!isSchema(properties) || depth > DEEPEST) return [words(schema, document)];
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = innerOf(property, document);
    const indent = '  '.repeat(depth);
    const about = resolved(property, document)['description'];
    const note = typeof about === 'string' ? `   ${about}` : '';
    const head = `${indent}${name}${needed.has(name) ? '' : '?'}: ${words(property, document)}${note}`;
    return inner === null ? [head] : [head, ...schemaLines(inner, document, depth + 1)];
  });
}

/** The object whose fields are worth a level of their own: itself, or what a list holds. */
function innerOf(schema: unknown, document: object): unknown {
  const known = resolved(schema, document);
  if (isSchema(known['properties'])) return known;
  if (isSchema(known['items'])) return innerOf(known['items'], document);
  const choice = Array.isArray(known['anyOf']) ? known['anyOf'] : [];
  return choice.map((each) => innerOf(each, document)).find((inner) => inner !== null) ?? null;
}

function words(schema: unknown, document: object): string {
  const known = resolved(schema, document);
  const { anyOf, type, items } = known;
  if (Array.isArray(known['enum']))
    return known['enum'].map((each) => JSON.stringify(each)).join(' | ');
  if ('const' in known) return JSON.stringify(known['const']);
  if (Array.isArray(anyOf)) return anyOf.map((each) => words(each, document)).join(' | ');
  if (type === 'array') return `list of ${words(items, document)}`;
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'anything';
}

/** Follows one reference into the document. */
function resolved(schema: unknown, document: object): Schema {
  if (!isSchema(schema)) return {};
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  let found: unknown = document;
  for (const key of reference.slice(2).split('/')) found = isSchema(found) ? found[key] : undefined;
  return isSchema(found) ? found : {};
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
