import * as fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { edit } from './edit.ts';

// The same few settings, each written in every form that TOML has for it.
const WORKSPACE = [
  ['[workspace]', 'attempts = 2 # few'],
  ['workspace.attempts = 2 # few'],
  ['workspace = { attempts = 2 } # few'],
  ['["workspace"]', "  'attempts'   =   2"],
];
const AGENTS = [
  ['[agents.mine]', 'command = ["a", "b"]'],
  ['[agents]', 'mine.command = [', '  "a", # first', '  "b",', ']'],
  ['agents.mine = { command = ["a", "b"] }'],
  ['[agents]', 'mine = { command = ["a", "b"] }'],
];
const REPOS = [
  [
    '[repos.main]',
    'path = "."',
    '[[repos.main.gates]]',
    'name = "x"',
    '# [[no]]',
    '[[repos.main.gates]]',
    'name = "y"',
  ],
  ['[repos.main]', 'path = "."', 'gates = [{ name = "x" }, { name = "y" }]'],
  [
    '[[repos.main.gates]] # one',
    'name = "x"',
    '',
    '[[repos.main.gates]]',
    'name = "y"',
    '',
    '[repos.main]',
    'path = "."',
  ],
  ['repos.main = { path = ".", gates = [{ name = "x" }, { name = "y" }] }'],
];
const isTop = (lines: readonly string[]): boolean => !lines[0]?.startsWith('[');

const texts = fc
  .tuple(
    fc.constantFrom(...WORKSPACE),
    fc.constantFrom(...AGENTS),
    fc.constantFrom(...REPOS),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(([workspace, agents, repos, eol, isEnded]) => {
    const parts = [workspace, agents, repos];
    // Keys of the top must come before the first header.
    const ordered = [...parts.filter(isTop), ...parts.filter((lines) => !isTop(lines))];
    return ordered.map((lines) => lines.join(eol)).join(eol + eol) + (isEnded ? eol : '');
  });

type Model = {
  workspace?: Record<string, unknown>;
  agents?: Record<string, Record<string, unknown>>;
  repos?: Record<string, { path?: string; gates: Record<string, unknown>[] }>;
};
const model = (): Model => ({
  workspace: { attempts: 2 },
  agents: { mine: { command: ['a', 'b'] } },
  repos: { main: { path: '.', gates: [{ name: 'x' }, { name: 'y' }] } },
});
/** Each edit together with the same edit on plain data. */
const EDITS: readonly (readonly [string, unknown, (data: Model) => void])[] = [
  ['workspace.attempts', 9, (data) => Object.assign(data, { workspace: { attempts: 9 } })],
  [
    'workspace.notify',
    ['me'],
    ({ workspace }) => Object.assign(workspace ?? {}, { notify: ['me'] }),
  ],
  ['budget.usd', 1.5, (data) => Object.assign(data, { budget: { usd: 1.5 } })],
  [
    'agents.mine.command',
    ['c'],
    ({ agents }) => Object.assign(agents?.['mine'] ?? {}, { command: ['c'] }),
  ],
  [
    'agents.mine.timeout',
    '5m',
    ({ agents }) => Object.assign(agents?.['mine'] ?? {}, { timeout: '5m' }),
  ],
  [
    'agents.other',
    { preset: 'codex' },
    ({ agents }) => Object.assign(agents ?? {}, { other: { preset: 'codex' } }),
  ],
  [
    'agents.mine',
    { preset: 'codex' },
    ({ agents }) => Object.assign(agents ?? {}, { mine: { preset: 'codex' } }),
  ],
  [
    'repos.main.prefix',
    'web',
    ({ repos }) => Object.assign(repos?.['main'] ?? {}, { prefix: 'web' }),
  ],
  [
    'repos.main.gates.1.run',
    'make',
    ({ repos }) => Object.assign(repos?.['main']?.gates[1] ?? {}, { run: 'make' }),
  ],
  ['repos.main.gates.2', { name: 'z' }, ({ repos }) => repos?.['main']?.gates.push({ name: 'z' })],
  [
    'repos.main.gates',
    [{ name: 'z' }],
    ({ repos }) => Object.assign(repos?.['main'] ?? {}, { gates: [{ name: 'z' }] }),
  ],
  ['repos.main.gates', [], ({ repos }) => Object.assign(repos?.['main'] ?? {}, { gates: [] })],
  ['workspace.attempts', undefined, ({ workspace }) => delete workspace?.['attempts']],
  ['agents.mine', undefined, ({ agents }) => delete agents?.['mine']],
  [
    'agents.mine.command.0',
    undefined,
    ({ agents }) => Object.assign(agents?.['mine'] ?? {}, { command: ['b'] }),
  ],
  [
    'agents.mine.command.1',
    undefined,
    ({ agents }) => Object.assign(agents?.['mine'] ?? {}, { command: ['a'] }),
  ],
  ['repos.main.gates.0', undefined, ({ repos }) => repos?.['main']?.gates.shift()],
  ['repos.main.gates.1', undefined, ({ repos }) => repos?.['main']?.gates.pop()],
  ['repos.main.path', undefined, ({ repos }) => delete repos?.['main']?.path],
  ['repos.main', undefined, ({ repos }) => delete repos?.['main']],
  ['repos', undefined, (data) => delete data.repos],
];

test('every form of writing takes every edit', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom(...EDITS), (text, [key, value, act]) => {
      const expected = model();
      expect(parse(text)).toEqual(expected);
      act(expected);
      const path = key.split('.');
      const change =
        value === undefined ? { op: 'remove' as const, path } : { op: 'set' as const, path, value };
      const result = edit(text, change, 'config.toml');
      const after = result.ok ? result.value : result.error.message;
      expect([result.ok, after]).toEqual([true, after]);
      expect(filled(parse(after))).toEqual(filled(expected));
      // No line end of another kind slips in.
      const strays = text.includes('\r\n') ? after.replaceAll('\r\n', '') : '';
      expect(strays).not.toContain('\n');
    }),
    { numRuns: 1_500 },
  );
});

/** Tables around a removed key may stay or go. */
function filled(data: Record<string, unknown>): unknown {
  return Object.fromEntries(
    Object.entries(data)
      .filter(([, value]) => value !== undefined)
      .filter(([, value]) => Object.keys(Object(value)).length > 0),
  );
}
