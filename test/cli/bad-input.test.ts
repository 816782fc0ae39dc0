import { expect, test } from 'vitest';
import { onPostgres } from '../postgres/ledger-of-test.ts';
import { inBatches, makeCli, type CliRig, type Ran } from './rig.ts';

type Bad = {
  readonly what: string;
  readonly args: readonly string[];
  readonly exit: number;
  /** The code of the error, or of the first finding where stage answers with a report. */
  readonly code: string;
  /** What the person reads about the way out. */
  readonly remedy: RegExp;
};

type Ids = Readonly<Record<'a' | 'b' | 'c' | 'epic' | 'sub' | 'far' | 'cv' | 'launched', string>>;

const TOO_LONG = 'x'.repeat(501);

const badInput = (ids: Ids): Bad[] => [
  ...aboutIds(ids),
  ...aboutEdges(ids),
  ...aboutWords(ids),
  ...aboutStage(ids),
];

const aboutIds = ({ far, a }: Ids): Bad[] => [
  bad('an unknown task', ['task', 'show', 'web-zzzz'], 3, 'task_not_found', /task list/),
  bad('an empty id', ['task', 'show', ''], 2, 'invalid_request', /id/),
  bad('dots for an id', ['close', '..', '--force'], 2, 'invalid_request', /id/),
  bad('an unknown convoy', ['close', 'cv-zzzzz'], 3, 'convoy_not_found', /list --all/),
  bad('an unknown id', ['why', 'zzz'], 3, 'not_found', /task list/),
  bad("another workspace's id", ['task', 'show', far], 3, 'task_not_found', /-C DIR/),
  bad('an ambiguous prefix', ['task', 'show', 'web-'], 4, 'ambiguous_id', /more of the id/),
  bad('a convoy where a task is meant', ['task', 'show', 'cv-'], 3, 'task_not_found', /task list/),
  bad('a task where a convoy is meant', ['pause', a], 3, 'convoy_not_found', /list --all/),
  bad('an unknown repo', ['repo', 'show', 'nope'], 3, 'repo_not_found', /main/),
  bad(
    'a task for an unknown repo',
    ['task', 'create', 'x', '--repo', 'no'],
    3,
    'repo_not_found',
    /main/,
  ),
  bad(
    'an unknown parent',
    ['task', 'create', 'x', '--parent', 'web-zzzz'],
    3,
    'task_not_found',
    /task list/,
  ),
];

const aboutEdges = ({ a, b, c, epic, sub }: Ids): Bad[] => [
  bad(
    'an edge to nowhere',
    ['task', 'dep', 'add', a, 'web-zzzz'],
    3,
    'task_not_found',
    /task list/,
  ),
  bad('a self edge', ['task', 'dep', 'add', a, a], 1, 'self_dependency', /another task/),
  bad('KG-25 a cycle of two', ['task', 'dep', 'add', a, b], 1, 'cycle', /dep rm/),
  bad('KG-25 a cycle of three', ['task', 'dep', 'add', a, c], 1, 'cycle', /dep rm/),
  bad('a cycle by a new parent', ['task', 'edit', epic, '--parent', sub], 1, 'cycle', /parent/),
  bad(
    'a task that is its own parent',
    ['task', 'edit', a, '--parent', a],
    1,
    'self_parent',
    /another/,
  ),
  bad(
    'a child that waits for its epic',
    ['task', 'dep', 'add', sub, epic],
    1,
    'parent_blocks_child',
    /sibling/,
  ),
  bad(
    'an epic that waits for its child',
    ['task', 'dep', 'add', epic, sub],
    1,
    'child_blocks_parent',
    /no edge/,
  ),
  bad(
    'KG-26 an edge that is there',
    ['task', 'dep', 'add', b, a],
    4,
    'dependency_exists',
    /dep rm/,
  ),
  bad(
    'an edge that is not there',
    ['task', 'dep', 'rm', a, b],
    3,
    'dependency_not_found',
    /task show/,
  ),
  bad(
    'an edge of a kind that is none',
    ['task', 'dep', 'add', a, c, '--kind', 'Über'],
    2,
    'dependency_kind_invalid',
    /waits-for/,
  ),
  bad(
    'hierarchy as an edge',
    ['task', 'dep', 'add', a, c, '--kind', 'parent-child'],
    2,
    'dependency_kind_invalid',
    /--parent/,
  ),
  bad(
    'a level on the wrong kind',
    ['task', 'dep', 'add', c, a, '--kind', 'waits-for', '--level', 'closed'],
    2,
    'level_not_allowed',
    /--level/,
  ),
];

const aboutWords = ({ a, cv }: Ids): Bad[] => [
  bad('KG-13 an empty title', ['task', 'create', ''], 2, 'invalid_request', /help/),
  bad('a blank title', ['task', 'create', '   '], 2, 'invalid_request', /help/),
  bad('a title of 501 characters', ['task', 'create', TOO_LONG], 2, 'invalid_request', /help/),
  bad(
    'an edit to an empty title',
    ['task', 'edit', a, '--title', ''],
    2,
    'invalid_request',
    /help/,
  ),
  bad('KG-13 an empty convoy title', ['create', ''], 2, 'invalid_request', /help/),
  bad(
    'GT-67 a convoy name like a flag',
    ['create', '--health'],
    2,
    'unknown_option',
    /help|Usage|mean/,
  ),
  bad(
    'GT-67 a merge mode that is none',
    ['create', 'x', '--merge-mode', 'octopus'],
    2,
    'invalid_argument',
    /Usage/,
  ),
  bad('GT-67 neither name nor epic', ['create'], 2, 'missing_argument', /--from-epic/),
  bad(
    'GT-67 an epic that is a task',
    ['create', 'x', '--from-epic', a],
    1,
    'not_an_epic',
    /convoy create/,
  ),
  bad('an unknown command', ['stag', a], 2, 'unknown_command', /Did you mean stage/),
  bad('a missing argument', ['task', 'dep', 'add', a], 2, 'missing_argument', /Usage/),
  bad(
    'a type that is none',
    ['task', 'create', 'x', '--type', 'saga'],
    2,
    'invalid_argument',
    /Usage/,
  ),
  bad(
    'a priority that is none',
    ['task', 'create', 'x', '-p', 'P5'],
    2,
    'invalid_argument',
    /Usage/,
  ),
  bad(
    'a time that is none',
    ['task', 'create', 'x', '--due', 'tomorrow'],
    2,
    'invalid_request',
    /help/,
  ),
  bad(
    'a number that is none',
    ['edit', cv, '--max-parallel', 'many'],
    2,
    'invalid_argument',
    /Usage/,
  ),
  bad(
    'a notify target that is none',
    ['edit', cv, '--notify', 'nobody'],
    2,
    'notify_unknown',
    /Add one|There is/,
  ),
  bad('nothing to change', ['task', 'edit', a], 2, 'nothing_to_change', /help/),
  bad('reopening what has not ended', ['task', 'reopen', a], 1, 'wrong_state', /why/),
];

const aboutStage = ({ a, epic, sub, cv, launched }: Ids): Bad[] => [
  bad('stage of nothing', ['stage'], 2, 'missing_argument', /Usage/),
  bad('GT-32 stage of an unknown id', ['stage', a, 'web-zzzz'], 3, 'missing_task', /task list/),
  bad('GT-30 stage of an epic and a task', ['stage', epic, a], 1, 'mixed_input', /one by one/),
  bad('GT-30 stage of two epics', ['stage', epic, sub], 1, 'mixed_input', /one by one/),
  bad('GT-30 stage of a convoy and a task', ['stage', cv, a], 1, 'mixed_input', /one by one/),
  bad('GT-50 stage of an open convoy', ['stage', launched], 4, 'already_launched', /convoy status/),
  bad('GT-52 stage of a repo name', ['stage', 'main'], 3, 'missing_task', /repo/),
  bad('GT-78 stage of a number', ['stage', '7'], 3, 'missing_task', /task list/),
];

const bad = (
  what: string,
  args: readonly string[],
  exit: number,
  code: string,
  remedy: RegExp,
): Bad => ({ what, args, exit, code, remedy });

test('bad input is refused with a code, a way out and the right exit code, and writes nothing', async () => {
  const rig = await makeCli();
  const ids = await someWork(rig);
  const before = await rig.events();
  const wrong: string[] = [];
  await inBatches(badInput(ids), async (row) => {
    const [plain, json] = await Promise.all([
      rig.convoy(row.args),
      rig.convoy([...row.args, '--json']),
    ]);
    wrong.push(...plainFaults(row, plain), ...jsonFaults(row, json));
  });
  expect(wrong).toEqual([]);
  expect(await rig.events()).toBe(before);
});

function plainFaults(row: Bad, ran: Ran): string[] {
  const said = ran.stdout + ran.stderr;
  return faults(row, [
    [ran.code === row.exit, `ended with ${ran.code}, not ${row.exit}`],
    [row.remedy.test(said), `does not say ${row.remedy}: ${said}`],
    [!/ at .*:\d+:\d+/.test(said), `shows a stack trace: ${said}`],
    [said.split('\n').every((line) => line.length <= 600), 'has a very long line'],
  ]);
}

function jsonFaults(row: Bad, ran: Ran): string[] {
  const { json } = ran;
  const found = json.error ?? json.errors?.[0] ?? {};
  const remedy = String(found.remedy ?? found.fix);
  return faults(row, [
    [ran.code === row.exit, `--json ended with ${ran.code}, not ${row.exit}`],
    [Object.keys(json)[0] === 'schema' && json.schema === 'convoy.v1', 'schema is not first'],
    [found.code === row.code, `has code ${found.code}, not ${row.code}: ${ran.stdout}`],
    [row.remedy.test(remedy), `has remedy ${remedy}`],
    [ran.stdout.trim().split('\n').length === 1, 'is more than one line'],
  ]);
}

const faults = (row: Bad, checks: readonly (readonly [boolean, string])[]): string[] =>
  checks.filter(([fine]) => !fine).map(([, fault]) => `${row.what}: ${fault}`);

async function someWork(rig: CliRig): Promise<Ids> {
  const [a, b, c] = [await rig.task('a'), await rig.task('b'), await rig.task('c')];
  await rig.ok(['task', 'dep', 'add', b, a]);
  await rig.ok(['task', 'dep', 'add', c, b]);
  const epic = await rig.task('Epic', '--type', 'epic');
  const sub = await rig.task('Sub', '--type', 'epic', '--parent', epic);
  const held = await rig.task('held');
  const { convoy_id: cv } = await rig.ok(['stage', await rig.task('other')]);
  const launched = (await rig.ok(['create', 'Open', held])).convoy.id;
  const other = await makeCli();
  const far = await other.task('far');
  return { a, b, c, epic, sub, far, cv, launched };
}

test.each([
  ['malformed TOML', '[workspace\nmax_parallel = 4', 'config_malformed', /config.toml/],
  ['an unknown key', '[workspace]\nmax_paralel = 4', 'config_unknown_key', /max_parallel/],
  ['a value of the wrong kind', '[workspace]\nmax_parallel = "many"', 'config_invalid', /config/],
])(
  '%s in config.toml stops what needs it, with the place and a way out',
  async (_, text, code, remedy) => {
    const rig = await makeCli();
    const a = await rig.task('a');
    const before = await rig.events();
    const good = rig.config();
    rig.write('.convoy/config.toml', text);
    for (const args of [
      ['task', 'create', 'x'],
      ['stage', a],
      ['repo', 'list'],
    ]) {
      const ran = await rig.convoy([...args, '--json']);
      expect(ran.code).toBe(2);
      expect(ran.json.error.code).toBe(code);
      expect(`${ran.json.error.message} ${ran.json.error.remedy}`).toMatch(remedy);
      expect(ran.json.error.message).toMatch(/line \d|config\.toml:\d/);
    }
    // What does not need it still works.
    expect((await rig.convoy(['task', 'show', a])).code).toBe(0);
    rig.write('.convoy/config.toml', good);
    expect(await rig.events()).toBe(before);
  },
);

test('GT-52 outside any workspace the way out is convoy init', async () => {
  const rig = await makeCli({ init: false });
  const ran = await rig.convoy(['status', '--json']);
  expect(ran.code).toBe(3);
  expect(ran.json.error).toMatchObject({ code: 'no_workspace', remedy: 'convoy init' });
});

// A file may be anything; a server that is none is in test/postgres/cli.test.ts.
if (onPostgres())
  process.stderr.write('a ledger file that is no database is tried on SQLite only: skipped here\n');
test.skipIf(onPostgres())('GT-52 a ledger that is no database is a clear error', async () => {
  const rig = await makeCli();
  rig.write(
    '.convoy/ledger.db',
    'not a database, really not, and long enough to be read as one'.repeat(99),
  );
  const ran = await rig.convoy(['task', 'list', '--json']);
  expect(ran.code).toBe(1);
  expect(ran.json.error).toMatchObject({ code: 'ledger_unavailable' });
  expect(ran.json.error.cause).toMatch(/database/);
});
