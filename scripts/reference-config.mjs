// Writes docs/reference/config.md from the configuration's schema.
import { z } from 'zod';
import { DEFAULTS } from '../src/config/defaults.ts';
import { configSchema } from '../src/config/schema.ts';
import { MEANINGS } from './lib/config-meanings.mjs';
import { COMMAND, writePages } from './lib/pages.mjs';

const SECTIONS = [
  { header: '[workspace]', path: ['workspace'], defaults: DEFAULTS.workspace },
  { header: '[notify.<name>]', path: ['notify', '<name>'], defaults: {} },
  { header: '[budget]', path: ['budget'], defaults: DEFAULTS.budget },
  { header: '[model]', path: ['model'], defaults: DEFAULTS.model },
  { header: '[github]', path: ['github'], defaults: DEFAULTS.github },
  { header: '[agents.<name>]', path: ['agents', '<name>'], defaults: DEFAULTS.agent },
  { header: '[repos.<name>]', path: ['repos', '<name>'], defaults: DEFAULTS.repo },
  {
    header: '[[repos.<name>.gates]]',
    path: ['repos', '<name>', 'gates', '0'],
    defaults: DEFAULTS.gate,
  },
  { header: '[github]', path: ['github'], defaults: DEFAULTS.github },
  { header: '[retention]', path: ['retention'], defaults: DEFAULTS.retention },
  { header: '[ship]', path: ['ship'], defaults: DEFAULTS.ship },
];

const described = new Set();
const sections = SECTIONS.flatMap(section);
const unused = Object.keys(MEANINGS).filter((key) => !described.has(key));
const forgotten = Object.keys(configSchema.shape).filter(
  (key) => !SECTIONS.some(({ path }) => path[0] === key),
);
if (unused.length > 0) throw new Error(`No such key in the schema: ${unused.join(', ')}`);
if (forgotten.length > 0) throw new Error(`No section for ${forgotten.join(', ')}`);

writePages({ 'docs/reference/config.md': [...preamble(), ...sections, ''].join('\n') });

function preamble() {
  return [
    '# config.toml',
    '',
    `Generated from the schema by \`${COMMAND}\`; do not edit.`,
    '',
    'The file is `.convoy/config.toml` in the workspace. An unknown key is an error. A key is described',
    'here as soon as it is read and checked; the [README](../../README.md) says which parts of Convoy',
    'work today. `convoy config explain` prints the values in force and where each comes from.',
  ];
}

function section({ header, path, defaults }) {
  const found = tables(path.reduce((schema, part) => inside(schema, part), configSchema));
  const keys = new Map(found.flatMap(({ shape }) => Object.entries(shape)));
  return [
    '',
    `## \`${header}\``,
    '',
    '| Key | Expects | Default | Meaning |',
    '|---|---|---|---|',
    ...[...keys]
      .filter(([key]) => !isTableList(keys.get(key)))
      .map((pair) => row(path, pair, found, defaults)),
  ];
}

function row(path, [key, schema], found, defaults) {
  const name = [...path.filter((part) => part !== '<name>' && part !== '0'), key].join('.');
  described.add(name);
  const meaning = MEANINGS[name];
  if (meaning === undefined)
    throw new Error(`Say what ${name} means in scripts/lib/config-meanings.mjs`);
  const cells = [
    `\`${key}\``,
    expected(key, schema, found),
    byDefault(key, schema, defaults),
    meaning,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Every schema says what it wants when it is given something impossible. */
function expected(key, schema, found) {
  if (found.length > 1 && plain(schema) instanceof z.ZodLiteral)
    return `one of ${found.map(({ shape }) => JSON.stringify(plain(shape[key]).value)).join(', ')}`;
  const { error } = plain(schema).safeParse(Symbol('impossible'));
  return error.issues[0].message;
}

function byDefault(key, schema, defaults) {
  if (defaults[key] !== undefined && defaults[key] !== null)
    return `\`${JSON.stringify(defaults[key])}\``;
  if (schema instanceof z.ZodDefault) return `\`${JSON.stringify(schema.def.defaultValue)}\``;
  return schema instanceof z.ZodOptional || defaults[key] === null ? 'not set' : 'required';
}

function inside(schema, part) {
  const open = plain(schema);
  if (open instanceof z.ZodRecord) return open.valueType;
  if (open instanceof z.ZodArray) return open.element;
  return open.shape[part];
}

function tables(schema) {
  const open = plain(schema);
  return open instanceof z.ZodDiscriminatedUnion ? open.options : [open];
}

function isTableList(schema) {
  const open = plain(schema);
  return open instanceof z.ZodArray && plain(open.element) instanceof z.ZodObject;
}

function plain(schema) {
  let open = schema;
  while (
    open instanceof z.ZodDefault ||
    open instanceof z.ZodPrefault ||
    open instanceof z.ZodOptional
  )
    open = open.unwrap();
  return open;
}
