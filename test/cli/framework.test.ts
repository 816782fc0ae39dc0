import { expect, test } from 'vitest';
import { command, shape, type Command, type Run, type Shape } from '../../src/cli/command.ts';
import { main } from '../../src/cli/main.ts';
import { COMMANDS as ALL } from '../../src/cli/table.ts';
import { fakeHost, type FakeHost } from './fake-host.ts';

const COMMANDS = ALL.filter(({ path }) => ['help', 'version'].includes(path.join(' ')));

const greet = shape({
  path: ['greet'],
  group: 'Work',
  summary: 'Greet someone',
  args: [
    { name: 'name', summary: 'whom' },
    { name: 'others', summary: 'more', optional: true, variadic: true },
  ],
  options: [
    { kind: 'text', name: 'title', value: 'TEXT', summary: 'how' },
    { kind: 'text', name: 'label', value: 'L', summary: 'label', repeatable: true },
    { kind: 'text', name: 'mode', value: 'M', summary: 'mode', choices: ['kind', 'brief'] },
    { kind: 'number', name: 'times', value: 'N', summary: 'how often', default: 1, least: 1 },
    { kind: 'flag', name: 'wait', summary: 'wait', negatable: true },
    { kind: 'flag', name: 'loud', summary: 'loud' },
    { kind: 'flag', name: 'secret', summary: 'hidden', hidden: true },
  ],
  examples: [],
});
const echo: Run<typeof greet> = async ({ args, options }) => ({
  json: { args, options },
  text: () => `hello ${args.name}`,
});
const deep = shape({ ...greet, path: ['task', 'dep', 'add'] });

const withRun = <S extends Shape>(declared: S, run: Run<S>): Command =>
  command(declared, async () => ({ run }));

const table = (run: Run<typeof greet> = echo): Command[] => [
  withRun(greet, run),
  withRun(deep, async () => ({ json: {}, text: () => 'deep' })),
  ...COMMANDS,
];

const said = async (
  argv: readonly string[],
  run?: Run<typeof greet>,
  host: FakeHost = fakeHost(),
): Promise<{ code: number; out: string; err: string }> => {
  const code = await main(argv, host, table(run));
  return { code, ...host.printed };
};
const read = async (...argv: string[]): Promise<Record<string, Record<string, unknown>>> =>
  JSON.parse((await said([...argv, '--json'])).out);

test('arguments and options reach the command under their names, with what is absent filled in', async () => {
  expect((await read('greet', 'Ada'))['options']).toEqual({
    label: [],
    times: 1,
    loud: false,
    secret: false,
  });
  const { args, options } = await read(
    'greet',
    'Ada',
    'Bob',
    '--title=Dr',
    '--label',
    'a',
    '--label',
    'b',
    '--mode',
    'kind',
    '--times',
    '3',
    '--no-wait',
    '--loud',
    'Cy',
  );
  expect(args).toEqual({ name: 'Ada', others: ['Bob', 'Cy'] });
  expect(options).toEqual({
    title: 'Dr',
    label: ['a', 'b'],
    mode: 'kind',
    times: 3,
    wait: false,
    loud: true,
    secret: false,
  });
});

test('JSON is exactly one document on one line with the schema first', async () => {
  const { out, err, code } = await said(['greet', 'Ada', '--json']);
  expect(out).toMatch(/^\{"schema":"convoy.v1",.*\}\n$/);
  expect(out.split('\n')).toHaveLength(2);
  expect({ err, code }).toEqual({ err: '', code: 0 });
});

test('JSON carries no character that a terminal would obey', async () => {
  const evil = '\u001b[31m\u009b2J\u202e\u007f';
  const { out } = await said(['greet', evil, '--json']);
  // oxlint-disable-next-line no-control-regex -- control characters are the subject
  expect(out.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  expect(JSON.parse(out).args.name).toBe(evil);
});

test('global options work before and after the command', async () => {
  for (const argv of [
    ['--json', 'greet', 'Ada'],
    ['greet', '--json', 'Ada'],
    ['greet', 'Ada', '--json'],
  ]) {
    expect(JSON.parse((await said(argv)).out).args.name).toBe('Ada');
  }
});

const asks: Run<typeof greet> = async (context) => {
  await context.client();
  return { json: {}, text: () => '' };
};

test('-C, then CONVOY_DIR, then the working directory say where the workspace is', async () => {
  const seen: unknown[] = [];
  const host = (env: Record<string, string>): FakeHost =>
    fakeHost({
      env,
      connect: async ({ dir }) => {
        seen.push(dir);
        return { ok: false, error: { kind: 'not_found', code: 'none', message: 'none' } };
      },
    });
  expect((await said(['-C', 'a', 'greet', 'x'], asks, host({ CONVOY_DIR: '/b' }))).code).toBe(3);
  await said(['greet', 'x'], asks, host({ CONVOY_DIR: '/b' }));
  await said(['greet', 'x'], asks, host({}));
  expect(seen).toEqual(['/nowhere/a', '/b', '/nowhere']);
});

const wrong: [string, string[], string, RegExp][] = [
  ['an unknown command', ['gret'], 'unknown_command', /Did you mean greet/],
  ['a command cut short', ['gr'], 'unknown_command', /'convoy greet'/],
  ['a verb without its noun', ['add'], 'unknown_command', /'convoy task dep add'/],
  ['an unknown verb', ['task', 'dep', 'ad'], 'unknown_command', /Did you mean add/],
  ['an unknown option', ['greet', 'Ada', '--tilte', 'x'], 'unknown_option', /Did you mean --title/],
  ['an unknown global option', ['--jsno', 'greet'], 'unknown_option', /Did you mean --json/],
  [
    'a missing argument',
    ['greet'],
    'missing_argument',
    /Usage: convoy greet \[options\] <name> \[others\.\.\.\]/,
  ],
  ['a missing value', ['greet', 'Ada', '--title'], 'missing_value', /Usage:/],
  ['a word that is no choice', ['greet', 'Ada', '--mode', 'odd'], 'invalid_argument', /Usage:/],
  ['a number that is none', ['greet', 'Ada', '--times', '1e3'], 'invalid_argument', /Usage:/],
  ['a fraction of a whole', ['greet', 'Ada', '--times', '1.5'], 'invalid_argument', /Usage:/],
  ['a number too small', ['greet', 'Ada', '--times', '0'], 'invalid_argument', /Usage:/],
  [
    'GT-67 a name like a flag',
    ['greet', '--foo'],
    'unknown_option',
    /begins with '-' goes after '--'/,
  ],
  [
    'GT-67 a value like a flag',
    ['greet', 'Ada', '--title', '--loud'],
    'invalid_argument',
    /Usage:/,
  ],
  ['too many arguments', ['version', 'now'], 'too_many_arguments', /Usage: convoy version/],
];
test.each(wrong)('%s is a usage error with the way out', async (_, argv, code, remedy) => {
  const text = await said(argv);
  expect(text.code).toBe(2);
  expect(text.out).toBe('');
  expect(text.err).toMatch(/^error: [A-Z]/);
  expect(text.err).toMatch(remedy);
  const json = await said([...argv.slice(0, 1), '--json', ...argv.slice(1)]);
  expect(json.code).toBe(2);
  expect(JSON.parse(json.out)).toMatchObject({ schema: 'convoy.v1', error: { code } });
  expect(json.err).toBe('');
});

test('GT-67 a name like a flag is accepted after --, and a value behind =', async () => {
  const { args, options } = JSON.parse(
    (await said(['--json', 'greet', '--title=--loud', '--', '--foo', '--json'])).out,
  );
  expect(args).toEqual({ name: '--foo', others: ['--json'] });
  expect(options.title).toBe('--loud');
  expect(options.loud).toBe(false);
});

test('a description that begins with a list mark is no flag', async () => {
  expect((await read('greet', 'Ada', '--title', '- first'))['options']?.['title']).toBe('- first');
});

test('a problem is said in three lines on stderr, cleaned, with its exit code', async () => {
  const { code, out, err } = await said(['greet', 'Ada'], async () => ({
    problem: {
      kind: 'conflict',
      code: 'taken',
      message: 'Taken\u001b[2J',
      cause: 'It exists',
      remedy: 'Choose\nanother',
    },
  }));
  expect({ code, out }).toEqual({ code: 4, out: '' });
  expect(err).toBe('error: Taken\n  cause: It exists\n  remedy: Choose\n          another\n');
});

test('a problem in JSON stands on stdout beside what was found out', async () => {
  const { out, err } = await said(['greet', 'Ada', '--json'], async () => ({
    problem: {
      kind: 'refused',
      code: 'no',
      message: 'No',
      details: { errors: [1], schema: 'x', error: 2 },
    },
  }));
  expect(JSON.parse(out)).toEqual({
    schema: 'convoy.v1',
    errors: [1],
    error: { code: 'no', message: 'No' },
  });
  expect(err).toBe('');
});

const bug = async (): Promise<never> => {
  throw new TypeError('boom');
};

test('a bug shows no stack trace unless --debug asks for it', async () => {
  const plain = await said(['greet', 'Ada'], bug);
  expect(plain.code).toBe(1);
  expect(plain.err).toMatch(/^error: boom\n/);
  expect(plain.err).not.toContain('    at ');
  expect((await said(['greet', 'Ada', '--debug'], bug)).err).toContain('    at ');
});

const hints: Run<typeof greet> = async (context) => {
  context.err('hint');
  return { problem: { kind: 'refused', code: 'no', message: 'No' } };
};

test('--quiet silences hints and never errors', async () => {
  expect((await said(['greet', 'Ada'], hints)).err).toBe('hint\nerror: No\n');
  expect((await said(['greet', 'Ada', '--quiet'], hints)).err).toBe('error: No\n');
});

test('colour needs a terminal and nobody who is against it', async () => {
  const seen: boolean[] = [];
  const look: Run<typeof greet> = async ({ color }) => {
    seen.push(color);
    return { json: {}, text: () => '' };
  };
  await said(['greet', 'a'], look, fakeHost({ tty: true }));
  await said(['greet', 'a'], look, fakeHost({ tty: false }));
  await said(['greet', 'a', '--no-color'], look, fakeHost({ tty: true }));
  await said(['greet', 'a'], look, fakeHost({ tty: true, env: { NO_COLOR: '1' } }));
  await said(['greet', 'a'], look, fakeHost({ tty: true, env: { TERM: 'dumb' } }));
  expect(seen).toEqual([true, false, false, false, false]);
});

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));

test('Ctrl-C ends a command at once with 130', async () => {
  const host = fakeHost();
  const { code, out } = await said(
    ['greet', 'Ada'],
    async () => {
      host.interrupt();
      return await new Promise<never>(() => {});
    },
    host,
  );
  expect({ code, out }).toEqual({ code: 130, out: '' });
});

test('a command that tidies up does so before the 130, and a second Ctrl-C does not wait', async () => {
  const slow = shape({ ...greet, lingers: true });
  const host = fakeHost();
  const tidy: Run<typeof slow> = async ({ signal }) => {
    setImmediate(() => host.interrupt());
    await untilAborted(signal);
    return { json: {}, text: () => 'tidied' };
  };
  expect(await main(['greet', 'x'], host, [withRun(slow, tidy), ...COMMANDS])).toBe(130);
  expect(host.printed.out).toBe('tidied\n');

  const stuck: Run<typeof slow> = async ({ signal }) => {
    setImmediate(() => host.interrupt());
    await untilAborted(signal);
    setImmediate(() => host.interrupt());
    return await new Promise<never>(() => {});
  };
  expect(await main(['greet', 'x'], host, [withRun(slow, stuck), ...COMMANDS])).toBe(130);
});

test('a reader who leaves ends a stream quietly', async () => {
  const host = fakeHost();
  const { code, err } = await said(
    ['greet', 'Ada'],
    async (context) => {
      context.out('one');
      host.streams.out.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
      context.out('two');
      await untilAborted(context.signal);
      return { json: {}, text: () => 'three' };
    },
    host,
  );
  expect({ code, err, out: host.printed.out }).toEqual({ code: 0, err: '', out: 'one\n' });
});

test('a full disk behind stdout is not success', async () => {
  const host = fakeHost();
  const { code, err } = await said(
    ['greet', 'Ada'],
    async () => {
      host.streams.out.emit('error', Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
      return { json: {}, text: () => '' };
    },
    host,
  );
  expect(code).toBe(1);
  expect(err).toContain('no space left');
});

test('a bare noun and a bare program show what there is', async () => {
  const all = await said([]);
  expect(all.code).toBe(0);
  expect(all.out).toMatch(/\nWork\n {2}greet +Greet someone\n/);
  const noun = await said(['task']);
  expect(noun.code).toBe(0);
  expect(noun.out).toContain('dep add <name> [others...]');
});

test('help of a command is the same three ways, and hides what is hidden', async () => {
  const texts = await Promise.all(
    [
      ['greet', '--help'],
      ['greet', '-h'],
      ['help', 'greet'],
    ].map(async (argv) => await said(argv)),
  );
  expect(new Set(texts.map(({ out }) => out)).size).toBe(1);
  expect(texts[0]?.out).toContain('--[no-]wait');
  expect(texts[0]?.out).not.toContain('--secret');
  expect((await said(['help', 'nothing'])).code).toBe(2);
});

test('GT-67 creating a convoy from a flag, from nothing or in an unknown mode is refused before anything is called', async () => {
  for (const argv of [['create', '--foo'], ['create'], ['create', 'x', '--merge-mode', 'odd']]) {
    let connected = false;
    const host = fakeHost({
      connect: async () => {
        connected = true;
        return { ok: false, error: { kind: 'unavailable', code: 'none', message: 'none' } };
      },
    });
    expect(await main(argv, host)).toBe(2);
    expect(connected).toBe(false);
  }
});

test('the version is printed by the option and by the command', async () => {
  expect((await said(['--version'])).out).toBe('convoy 9.9.9\n');
  expect(JSON.parse((await said(['-V', '--json'])).out)).toMatchObject({ version: '9.9.9' });
});
