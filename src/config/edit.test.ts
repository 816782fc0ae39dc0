import * as fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import type { SettingsEdit } from '../ports/settings.ts';
import { edit } from './edit.ts';

const TEXT = `# My workspace.

[workspace]
max_parallel = 4   # as many as fit
notify = ["me"]

# The one I use.
[agents.mine]
command = ["bash", "agent.sh"]
limits = { soft = 1, hard = 2 }
# timeout = "30m"

[repos.main]
path = "."
prefix = "web"

[[repos.main.gates]]
name = "test" # slow
run = "npm test"

[[repos.main.gates]]
name = "lint"
run = "npm run lint"

# Thresholds of a release.
[ship]
bake = "30s"
`;

function edited(change: SettingsEdit, text = TEXT): string {
  const result = edit(text, change, 'config.toml');
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
const set = (key: string, value: unknown, text = TEXT): string =>
  edited({ op: 'set', path: key.split('.'), value }, text);
const remove = (key: string, text = TEXT): string =>
  edited({ op: 'remove', path: key.split('.') }, text);

test('a value is replaced in place and keeps its comment', () =>
  expect(set('workspace.max_parallel', 8)).toBe(
    TEXT.replace('max_parallel = 4   #', 'max_parallel = 8   #'),
  ));

test('a new key goes to the end of its table', () =>
  expect(set('workspace.attempts', 5)).toBe(
    TEXT.replace('notify = ["me"]\n', 'notify = ["me"]\nattempts = 5\n'),
  ));

const HINTS = `[repos.main]
path = "."
# agent = "mine"
# review = "agent"

# A gate must pass before anything lands.
# [[repos.main.gates]]
# name = "test"

# The other one.
[repos.api]
path = "api"
# agent = "mine"
`;
const GATES = [{ name: 'test', run: 'npm test' }];
const WRITTEN = '\n[[repos.main.gates]]\nname = "test"\nrun = "npm test"\n';

test('a list of tables goes behind the hints of its table, and before what belongs to the next', () =>
  expect(set('repos.main.gates', GATES, HINTS)).toBe(
    HINTS.replace('# name = "test"\n', `# name = "test"\n${WRITTEN}`),
  ));

test('a hint that is uncommented after such an edit still speaks of its own table', () => {
  const text = set('repos.main.gates', GATES, HINTS).replace('# agent', 'agent');
  expect(parse(text)).toMatchObject({ repos: { main: { agent: 'mine', gates: GATES } } });
});

test('at the end of the file the hints of the last table stay with it', () =>
  expect(set('repos.api.gates', GATES, HINTS)).toBe(
    HINTS + WRITTEN.replace('repos.main', 'repos.api'),
  ));

test('another element goes behind the comments of the one before', () => {
  const text = `${TEXT.slice(0, TEXT.indexOf('\n# Thresholds'))}# timeout = "1m"\n\n[ship]\n`;
  expect(set('repos.main.gates.2', { name: 'types', run: 'tsc' }, text)).toContain(
    '# timeout = "1m"\n\n[[repos.main.gates]]\nname = "types"\nrun = "tsc"\n\n[ship]\n',
  );
});

test('a new table goes to the end of the file', () =>
  expect(set('budget.usd', 20)).toBe(`${TEXT}\n[budget]\nusd = 20\n`));

test('a whole table is written under a header of its own, its list of tables after it', () =>
  expect(
    set('repos.api', {
      path: '../api',
      prefix: 'api',
      gates: [{ name: 'go', run: ['go', 'test'] }],
    }),
  ).toBe(`${TEXT}
[repos.api]
path = "../api"
prefix = "api"

[[repos.api.gates]]
name = "go"
run = ["go", "test"]
`));

test('a key inside one gate changes that gate only', () =>
  expect(set('repos.main.gates.1.run', ['npm', 'run', 'lint'])).toBe(
    TEXT.replace('run = "npm run lint"', 'run = ["npm", "run", "lint"]'),
  ));

test('a new key of a gate stays with that gate', () =>
  expect(set('repos.main.gates.0.timeout', '5m')).toBe(
    TEXT.replace('run = "npm test"\n', 'run = "npm test"\ntimeout = "5m"\n'),
  ));

test('a table inside one gate is written with that gate', () => {
  const gate = 'run = "npm test"\n';
  expect(set('repos.main.gates.0.extra', { depth: 1 })).toBe(
    TEXT.replace(gate, `${gate}extra = { depth = 1 }\n`),
  );
  expect(set('repos.main.gates.0.extra.depth', 1)).toBe(
    TEXT.replace(gate, `${gate}extra.depth = 1\n`),
  );
});

test('one more gate follows the last one', () =>
  expect(set('repos.main.gates.2', { name: 'types', run: 'tsc' })).toBe(
    TEXT.replace(
      'run = "npm run lint"\n',
      'run = "npm run lint"\n\n[[repos.main.gates]]\nname = "types"\nrun = "tsc"\n',
    ),
  ));

test('a list of tables can be replaced as a whole', () => {
  const after = set('repos.main.gates', [{ name: 'all', run: 'make' }]);
  expect(parse(after)).toEqual({
    ...parse(TEXT),
    repos: { main: { path: '.', prefix: 'web', gates: [{ name: 'all', run: 'make' }] } },
  });
  expect(after).toContain('prefix = "web"\n\n[[repos.main.gates]]\nname = "all"');
  expect(after).toContain('# Thresholds of a release.\n[ship]');
});

test('an inline table is edited inside its braces', () => {
  expect(set('agents.mine.limits.hard', 9)).toContain('limits = { soft = 1, hard = 9 }');
  expect(set('agents.mine.limits.never', 9)).toContain('{ soft = 1, hard = 2, never = 9 }');
  expect(remove('agents.mine.limits.soft')).toContain('limits = { hard = 2 }');
  expect(remove('agents.mine.limits.hard')).toContain('limits = { soft = 1 }');
});

test('a key next to dotted keys is written with dots', () =>
  expect(set('a.b.d', 2, '[a]\nb.c = 1\nz = 0\n')).toBe('[a]\nb.c = 1\nb.d = 2\nz = 0\n'));

test('a key is removed with its line', () =>
  expect(remove('workspace.max_parallel')).toBe(
    TEXT.replace('max_parallel = 4   # as many as fit\n', ''),
  ));

test('a table is removed with the comments that speak of it, and nothing else', () => {
  const after = remove('agents.mine');
  expect(after).not.toContain('The one I use');
  expect(after).not.toContain('timeout');
  expect(after).toContain('notify = ["me"]\n\n[repos.main]');
});

test('a repo is removed with its gates', () =>
  expect(remove('repos.main')).toBe(
    TEXT.slice(0, TEXT.indexOf('[repos.main]')) + TEXT.slice(TEXT.indexOf('# Thresholds')),
  ));

test('one gate is removed and the others stay', () =>
  expect(remove('repos.main.gates.0')).toBe(
    TEXT.replace('[[repos.main.gates]]\nname = "test" # slow\nrun = "npm test"\n\n', ''),
  ));

test('setting what is already so, or removing what is not there, changes nothing', () => {
  expect(set('ship.bake', '30s')).toBe(TEXT);
  expect(remove('ship.steps')).toBe(TEXT);
});

test('line ends of the file are kept', () =>
  expect(set('a.y', 2, '[a]\r\nx = 1\r\n')).toBe('[a]\r\nx = 1\r\ny = 2\r\n'));

test('a file without a last line end gets one before what is added', () =>
  expect(set('b.y', 2, '[a]\nx = 1')).toBe('[a]\nx = 1\n\n[b]\ny = 2\n'));

test('an empty file is a fine start', () =>
  expect(set('workspace.attempts', 2, '')).toBe('[workspace]\nattempts = 2\n'));

test.each<[SettingsEdit, string]>([
  [
    { op: 'set', path: ['ship', 'bake', 'long'], value: 1 },
    'Cannot set ship.bake.long: a value that is no table stands in the way.',
  ],
  [
    { op: 'set', path: ['ship', 'bake'], value: null },
    'Cannot set ship.bake: TOML cannot hold such a value.',
  ],
  [
    { op: 'set', path: ['ship', 'bake'], value: '\uD800' },
    'Cannot set ship.bake: the file is written in a way that this edit would break.',
  ],
  [
    { op: 'remove', path: [] },
    'Cannot remove the whole file: a value that is no table stands in the way.',
  ],
])('%j is refused', (change, message) => {
  const result = edit(TEXT, change, 'config.toml');
  expect(result).toMatchObject({ ok: false, error: { code: 'config_edit_refused', message } });
});

test('a file that is not TOML is refused as such', () =>
  expect(edit('a = ', { op: 'set', path: ['a'], value: 1 }, 'config.toml')).toMatchObject({
    ok: false,
    error: { code: 'config_malformed' },
  }));

test('any edit of any file says what was asked, and other parts keep their comments', () => {
  fc.assert(
    fc.property(
      documents,
      fc.nat(5),
      fc.nat(5),
      values,
      fc.boolean(),
      (tables, t, k, value, isSet) => {
        const text = tables.map(({ lines }) => lines.join('\n')).join('\n');
        const before = parse(text);
        const table = NAMES[t] ?? 'a';
        const key = `k${k}`;
        const path = [...table.split('.'), key];
        const after = edited(isSet ? { op: 'set', path, value } : { op: 'remove', path }, text);
        const at = (tree: unknown): unknown =>
          path.reduce<unknown>((node, part) => Object(node)[part], tree);
        expect(at(parse(after))).toEqual(isSet ? value : undefined);

        // Everything but that key is as before, and every comment line is still there.
        const strip = (source: string): unknown => {
          const tree = parse(source);
          const parent = path
            .slice(0, -1)
            .reduce<unknown>((node, part) => Object(node)[part], tree);
          if (parent !== undefined) delete Object(parent)[key];
          return withoutEmpty(tree);
        };
        expect(strip(after)).toEqual(withoutEmpty(stripped(before, path)));
        expect(comments(after)).toEqual(comments(text));
        for (const other of tables.filter(({ name }) => name !== table)) {
          expect(after).toContain(other.lines.join('\n').trimEnd());
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('any table can be removed, and the other tables keep their comments', () => {
  fc.assert(
    fc.property(documents, fc.nat(5), (tables, t) => {
      const text = tables.map(({ lines }) => lines.join('\n')).join('\n');
      const path = (NAMES[t] ?? 'a').split('.');
      const after = edited({ op: 'remove', path }, text);
      const parent = path.slice(0, -1);
      expect(withoutEmpty(parse(after))).toEqual(withoutEmpty(stripped(parse(text), path)));
      expect(parent.length).toBeLessThan(path.length);
      const others = tables.filter(
        ({ name }) => name !== NAMES[t] && !name.startsWith(`${NAMES[t]}.`),
      );
      for (const line of others.flatMap(({ lines }) =>
        lines.filter((one) => one.startsWith('#')),
      )) {
        expect(after.split('\n')).toContain(line);
      }
    }),
    { numRuns: 500 },
  );
});

const NAMES = ['a', 'a.b', 'a.b.c', 'd', 'e.f', 'g'];
const values = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer(),
  fc.boolean(),
  fc.double({ noNaN: true }).map((value) => value + 0),
  fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }),
);
const written = fc.oneof(
  fc.constantFrom('1', '"x # y"', "'[a]'", 'true', '[1, 2]', '[\n  1, 2,\n]', '{ x = 1, y = "}" }'),
  fc.constantFrom('"""\nlong\n[a]\n"""', "'''\n # no comment'''", '0.5', '1979-05-27'),
);
const trailing = fc.constantFrom('', ' # why', '   # = [x]');

/** A table with comments above it, between its keys and below them; each comment line is unique. */
const documents = fc
  .record({
    names: fc.subarray(NAMES),
    seed: fc.array(fc.tuple(written, trailing, fc.nat(3)), { minLength: 30, maxLength: 30 }),
  })
  .map(({ names, seed }) =>
    names.map((name, index) => {
      const lines = [`# above ${name}`, `[${name}]`];
      for (let k = 0; k < 5; k += 1) {
        const [value, comment, chance] = seed[(index * 5 + k) % seed.length] ?? ['1', '', 0];
        if (chance === 0) lines.push(`# note ${name} ${k}`);
        if (chance !== 1) lines.push(`k${k} = ${value}${value.includes('\n') ? '' : comment}`);
        if (chance === 3) lines.push('');
      }
      return { name, lines: [...lines, ''] };
    }),
  );

function stripped(tree: unknown, path: readonly string[]): unknown {
  const copy = structuredClone(tree);
  const parent = path.slice(0, -1).reduce<unknown>((node, part) => Object(node)[part], copy);
  if (parent !== undefined) delete Object(parent)[path.at(-1) ?? ''];
  return copy;
}

/** Tables that hold nothing are the one thing an edit may leave out or add. */
function withoutEmpty(tree: unknown): unknown {
  if (tree === null || typeof tree !== 'object' || Array.isArray(tree) || tree instanceof Date) {
    return tree;
  }
  const kept = Object.entries(tree)
    .map(([key, value]) => [key, withoutEmpty(value)] as const)
    .filter(([, value]) => value !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function comments(source: string): string[] {
  return source.split('\n').filter((line) => line.startsWith('#'));
}
