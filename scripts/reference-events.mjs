// Writes docs/reference/events.md from the event types of the domain.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { EVENT_MEANINGS } from './lib/event-meanings.mjs';
import { COMMAND, root, writePages } from './lib/pages.mjs';

/** Which type of which file holds the events of an aggregate of the ledger. */
const SUBJECTS = {
  task: { file: 'src/domain/work/events.ts', type: 'TaskEvent', example: 'task/web-a3f' },
  convoy: { file: 'src/domain/convoy/events.ts', type: 'ConvoyEvent', example: 'convoy/cv-7k2p9' },
  attempt: {
    file: 'src/domain/work/attempt.ts',
    type: 'AttemptEvent',
    example: 'attempt/at-6sp7xn',
  },
  change: {
    file: 'src/domain/merge/change.ts',
    type: 'ChangeEvent',
    more: [{ file: 'src/domain/merge/pull.ts', type: 'PullEvent' }],
    example: 'change/ch-6sp7xn',
  },
  queue: { file: 'src/domain/merge/queue.ts', type: 'QueueEvent', example: 'queue/main:main' },
  review: { file: 'src/domain/review/review.ts', type: 'ReviewEvent', example: 'review/rv-7k2p9' },
  approval: {
    file: 'src/domain/approval/approval.ts',
    type: 'ApprovalEvent',
    example: 'approval/ap-7k2p9',
  },
  run: { file: 'src/domain/ship/run/run.ts', type: 'RunEvent', example: 'run/run-u5gbt' },
  token: { file: 'src/domain/identity/token.ts', type: 'TokenEvent', example: 'token/tok-4h8s2k' },
  branch: {
    file: 'src/domain/remote/branch.ts',
    type: 'BranchEvent',
    example: 'branch/main:convoy/shop/cv-7k2p9/head',
  },
  repo: { file: 'src/domain/repo/repo-state.ts', type: 'RepoEvent', example: 'repo/main' },
};

const aggregates = readdirSync(join(root, 'src/ledger/aggregates'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => /export const \w+Aggregate\b/.test(sourceOf(name)));
const unlisted = aggregates.filter((name) => SUBJECTS[name] === undefined);
if (unlisted.length > 0)
  throw new Error(`Name the events of ${unlisted.join(', ')} in scripts/reference-events.mjs`);

const told = new Set();
const sections = Object.entries(SUBJECTS).flatMap(([name, subject]) => section(name, subject));
const unused = Object.keys(EVENT_MEANINGS).filter((kind) => !told.has(kind));
if (unused.length > 0) throw new Error(`No such event: ${unused.join(', ')}`);

writePages({ 'docs/reference/events.md': [...preamble(), ...sections, ''].join('\n') });

/** Beside the aggregates stands what they share. */
function sourceOf(name) {
  return readFileSync(join(root, `src/ledger/aggregates/${name}.ts`), 'utf8');
}

function preamble() {
  return [
    '# Events',
    '',
    `Generated from the domain's event types by \`${COMMAND}\`; do not edit.`,
    '',
    'Every change of the ledger is one of these facts. `convoy events --json` prints them, one per line:',
    '`{schema, seq, at, kind, subject, actor, data}`. `data` holds the fields named below. New kinds and',
    'new fields may appear; readers ignore what they do not know. A kind is listed as soon as the ledger',
    'can hold it, which may be before something records it.',
  ];
}

function section(name, { file, type, example, more = [] }) {
  const events = [{ file, type }, ...more].flatMap((each) => eventsIn(each.file, each.type));
  return [
    '',
    `## ${name}`,
    '',
    `Subject: \`${name}/<id>\`, for example \`${example}\`.`,
    '',
    '| Kind | Data | Meaning |',
    '|---|---|---|',
    ...events.map(({ kind, fields }) => {
      const meaning = EVENT_MEANINGS[kind];
      if (meaning === undefined)
        throw new Error(`Say what ${kind} means in scripts/lib/event-meanings.mjs`);
      told.add(kind);
      return `| \`${kind}\` | ${fields.map((field) => `\`${field}\``).join(', ')} | ${meaning} |`;
    }),
  ];
}

/** The members of a union of object types, each with a literal `type`; names of other unions are in `more`. */
function eventsIn(file, type) {
  const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  const found = program.body
    .map((statement) => statement.declaration ?? statement)
    .find((one) => one.type === 'TSTypeAliasDeclaration' && one.id.name === type);
  if (found === undefined) throw new Error(`${file} has no type ${type}`);
  const { typeAnnotation } = found;
  const members = typeAnnotation.type === 'TSUnionType' ? typeAnnotation.types : [typeAnnotation];
  return members.flatMap((member) => {
    if (member.type === 'TSTypeReference')
      return eventsIn(importedFrom(program, file, member.typeName.name), member.typeName.name);
    const named = propertiesOf(program, member).map((property) => [
      property.key.name,
      property.typeAnnotation.typeAnnotation,
    ]);
    const kind = named.find(([name]) => name === 'type')?.[1].literal.value;
    return { kind, fields: named.map(([name]) => name).filter((name) => name !== 'type') };
  });
}

/** Of an object type, also of one that is put together of several of the same file. */
function propertiesOf(program, type) {
  if (type.type === 'TSTypeLiteral') return type.members;
  if (type.type === 'TSParenthesizedType') return propertiesOf(program, type.typeAnnotation);
  if (type.type === 'TSIntersectionType')
    return type.types.flatMap((part) => propertiesOf(program, part));
  const alias = program.body
    .map((statement) => statement.declaration ?? statement)
    .find((one) => one.type === 'TSTypeAliasDeclaration' && one.id.name === type.typeName.name);
  return propertiesOf(program, alias.typeAnnotation);
}

/** The file that a type named in another file's union comes from. */
function importedFrom(program, file, type) {
  const found = program.body.find(
    (statement) =>
      statement.type === 'ImportDeclaration' &&
      statement.specifiers.some(({ local }) => local.name === type),
  );
  return found === undefined ? file : join(dirname(file), found.source.value);
}
