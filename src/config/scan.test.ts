import { expect, test } from 'vitest';
import { lineOf, scan } from './scan.ts';

const TEXT = `# opening
top = 1
[workspace]            # a comment with = and [brackets]
max_parallel = 4
notify = [
  "me", # not "you"
  'her',
]
"odd key".'x.y' = """
[not.a.table]
a = "" 1 """""

[agents]
mine = { adapter = "command", limits.hard = 3 }

[[repos.main.gates]]
name = "test"
[[repos.main.gates]]
name = "lint" # [[repos.main.gates]]
[repos.main.gates.extra]
depth = 1979-05-27 07:32:00
`;

const layout = scan(TEXT);

test.each([
  ['top', 2],
  ['workspace', 3],
  ['workspace.max_parallel', 4],
  ['workspace.notify', 5],
  ['workspace.notify.1', 7],
  ['agents.mine.adapter', 14],
  ['agents.mine.limits.hard', 14],
  ['repos.main.gates.0', 16],
  ['repos.main.gates.0.name', 17],
  ['repos.main.gates.1.name', 19],
  ['repos.main.gates.1.extra.depth', 21],
])('%s stands on line %d', (key, line) => expect(lineOf(layout, key.split('.'))).toBe(line));

test('quoted keys keep their dots', () =>
  expect(lineOf(layout, ['workspace', 'odd key', 'x.y'])).toBe(9));

test('a key that is not written has the line of the table around it', () =>
  expect(lineOf(layout, ['repos', 'main', 'gates', '1', 'run'])).toBe(18));

test('a table that is only implied has the line of the first thing in it', () =>
  expect(lineOf(layout, ['repos', 'main'])).toBe(16));

test('a key of nowhere has no line', () => expect(lineOf(layout, ['ship', 'steps'])).toBeNull());

test('a value ends before its comment, and a long string after its last quote', () => {
  expect(valueOf('repos', 'main', 'gates', '1', 'name')).toBe('"lint"');
  expect(valueOf('workspace', 'odd key', 'x.y')).toBe('"""\n[not.a.table]\na = "" 1 """""');
  expect(valueOf('repos', 'main', 'gates', '1', 'extra', 'depth')).toBe('1979-05-27 07:32:00');
  expect(valueOf('agents', 'mine')).toBe('{ adapter = "command", limits.hard = 3 }');
});

function valueOf(...path: string[]): string {
  const spot = layout.spots.find((one) => one.path.join('/') === path.join('/'));
  return TEXT.slice(spot?.valueStart, spot?.end);
}
