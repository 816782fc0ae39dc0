import { expect, test } from 'vitest';
import { readSettings } from './read.ts';
import type { Settings, SettingsProblem } from '../ports/settings.ts';

const ORIGIN = { file: '.convoy/config.toml', root: '/srv/shop' };

function settings(text: string): Settings {
  const result = readSettings(text, ORIGIN);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
function problem(text: string): SettingsProblem {
  const result = readSettings(text, ORIGIN);
  if (result.ok) throw new Error('It was accepted');
  return result.error;
}

const REPO = '[repos.main]\npath = "."\nprefix = "web"\n';

test('every key of the contract is understood', () => {
  const all = settings(`
[workspace]
max_parallel = 4
dispatch = "default"
attempts = 3
notify = ["me"]
[notify.me]
sink = "command"
command = ["notify-send", "Convoy"]
[notify.hook]
sink = "webhook"
url = "https://example.test/hook"
secret_env = "HOOK_SECRET"
[budget]
usd = 0
tokens = 0
minutes = 0
[model]
provider = "openai-compatible"
name = "small"
[agents.mine]
adapter = "command"
command = ["bash", "agent.sh"]
preset = "claude"
timeout = "30m"
silence = "10m"
max_parallel = 3
permissions = "worktree"
script = "steps.json"
[agents.acp]
adapter = "acp"
preset = "gemini"
permissions = "ask"
[agents.robot]
adapter = "scripted"
script = "steps.json"
timeout = 90
[repos.main]
path = "."
prefix = "web"
target = "main"
agent = "mine"
merge_mode = "review-then-land"
strategy = "merge"
delivery = "direct"
pr_merge = "green"
review = "none"
reviewer = "mine"
review_each = false
slots = 2
setup = ["npm", "install"]
wip = "continue"
failure_policy = "hold"
allowed_paths = []
review_prompt = "review.md"
env = ["NPM_TOKEN"]
[[repos.main.gates]]
name = "test"
run = ["npm", "test"]
timeout = "10m"
retries = 0
env = []
require_tests = false
[[repos.main.gates]]
name = "lint"
run = "npm run lint"
phase = "landing"
[github]
webhook_secret_env = "HOOK"
poll = "5s"

[retention]
days = 30
gb = 5
[ship]
platform = "local"
steps = [5, 25, 50, 100]
bake = "30s"
observe = "2m"
max_error_rate = 0.05
max_p99_ms = 1000
false_alarm_rate = 0.01
auto = "never"
`);
  const limits = { timeoutMs: 1_800_000, silenceMs: 600_000, maxParallel: null };
  expect(all.notify).toEqual({
    me: { sink: 'command', command: ['notify-send', 'Convoy'] },
    hook: { sink: 'webhook', url: 'https://example.test/hook', secretEnv: 'HOOK_SECRET' },
  });
  expect(all.agents).toEqual({
    mine: {
      ...limits,
      adapter: 'command',
      command: ['bash', 'agent.sh'],
      preset: 'claude',
      maxParallel: 3,
    },
    acp: { ...limits, adapter: 'acp', command: null, preset: 'gemini', permissions: 'ask' },
    robot: {
      ...limits,
      adapter: 'scripted',
      script: '/srv/shop/steps.json',
      timeoutMs: 90_000,
    },
  });
  const gate = { timeoutMs: 600_000, retries: 0, env: [], requireTests: false };
  expect(all.repos).toEqual({
    main: {
      source: { kind: 'path', path: '/srv/shop', written: '.' },
      prefix: 'web',
      target: 'main',
      agent: 'mine',
      mergeMode: 'review-then-land',
      strategy: 'merge',
      delivery: 'direct',
      prMerge: 'green',
      review: 'none',
      reviewer: 'mine',
      reviewEach: false,
      slots: 2,
      setup: ['npm', 'install'],
      wip: 'continue',
      failurePolicy: 'hold',
      allowedPaths: [],
      reviewPrompt: '/srv/shop/review.md',
      env: ['NPM_TOKEN'],
      gates: [
        { ...gate, name: 'test', run: { kind: 'argv', argv: ['npm', 'test'] }, phase: 'always' },
        { ...gate, name: 'lint', run: { kind: 'shell', line: 'npm run lint' }, phase: 'landing' },
      ],
    },
  });
});

test('naming a reviewer asks for reviews', () => {
  const agents = '[agents.ann]\npreset = "claude"\n';
  expect(settings(`${agents}${REPO}reviewer = "ann"`).repos['main']?.review).toBe('agent');
  expect(settings(`${agents}${REPO}`).repos['main']?.review).toBe('none');
});

test('a repository may be an address', () =>
  expect(
    settings('[repos.api]\nurl = "git@example.test:api.git"\nprefix = "api"').repos['api']?.source,
  ).toEqual({ kind: 'url', url: 'git@example.test:api.git' }));

test('text that is not TOML is shown with its place', () =>
  expect(problem('[workspace]\nattempts = = 3\n')).toEqual({
    code: 'config_malformed',
    message: `.convoy/config.toml:2:12: invalid value
2 | attempts = = 3
               ^`,
    line: 2,
    column: 12,
    remedy: 'Correct line 2 of .convoy/config.toml.',
  }));

test('an unknown key is named with its line and the key that was meant', () =>
  expect(problem('[workspace]\n# how many\nmax_paralel = 3\n')).toEqual({
    code: 'config_unknown_key',
    message:
      '.convoy/config.toml:3: workspace.max_paralel: unknown key; did you mean `max_parallel`?',
    key: 'workspace.max_paralel',
    line: 3,
    remedy: 'Write `max_parallel`.',
  }));

test('an unknown key like no other lists what may stand there', () =>
  expect(problem('[notify.me]\nsink = "slack"\nurl = "https://s.test"\ncolour = 1')).toEqual({
    code: 'config_unknown_key',
    message: '.convoy/config.toml:4: notify.me.colour: unknown key',
    key: 'notify.me.colour',
    line: 4,
    remedy: 'Known here: sink, url.',
  }));

const GATE = `${REPO}[[repos.main.gates]]\nname = "test"\nrun = "x"\n`;
const AGENT = '[agents.mine]\ncommand = ["x"]\n';

test.each([
  ['repo = 1', ':1: repo: unknown key; did you mean `repos`?'],
  [`${GATE}retrys = 1`, ':7: repos.main.gates.0.retrys: unknown key; did you mean `retries`?'],
  [
    'repos.main = { path = ".", prefix = "web", tagret = "x" }',
    ':1: repos.main.tagret: unknown key; did you mean `target`?',
  ],
])('%s is an unknown key', (text, message) =>
  expect(problem(text)).toMatchObject({
    code: 'config_unknown_key',
    message: `.convoy/config.toml${message}`,
  }),
);

const DURATION = 'a duration such as "90s" or "1h30m", or a number of seconds';

test.each([
  [
    '[workspace]\nattempts = nan',
    ':2: workspace.attempts: expected a whole number of at least 1, found NaN',
  ],
  [
    '[repos."a.b"]\npath = "."\nprefix = "ap"',
    ':3: repos."a.b".prefix: "ap" is reserved; so are cv, plan, run, crew',
  ],
  ['workspace = 1', ':1: workspace: expected a table, found 1'],
  ['repos = 1', ':1: repos: expected a table of tables, found 1'],
  [
    '[workspace]\nmax_parallel = 0',
    ':2: workspace.max_parallel: expected a whole number of at least 1, found 0',
  ],
  [
    '[workspace]\nmax_parallel = "4"',
    ':2: workspace.max_parallel: expected a whole number of at least 1, found "4"',
  ],
  [
    '[workspace]\nattempts = 1.5',
    ':2: workspace.attempts: expected a whole number of at least 1, found 1.5',
  ],
  [
    '[workspace]\ndispatch = "lifo"',
    ':2: workspace.dispatch: expected one of "default", "fifo", "critical-path", "coordinator", found "lifo"',
  ],
  [
    '[workspace]\nnotify = ["mee"]\n[notify.me]\nsink = "inbox"',
    ':2: workspace.notify: names "mee", but there is no [notify.mee]; did you mean "me"?',
  ],
  ['[workspace]\nbackoff = "soon"', `:2: workspace.backoff: expected ${DURATION}, found "soon"`],
  ['[notify]\nme = 1', ':2: notify.me: expected a table, found 1'],
  [
    '[notify.me]\nsink = "mail"',
    ':2: notify.me.sink: expected one of "command", "webhook", "slack", "inbox", "terminal", found "mail"',
  ],
  [
    '[notify.me]\n',
    ':1: notify.me.sink: is missing; expected one of "command", "webhook", "slack", "inbox", "terminal"',
  ],
  [
    '[notify.me]\nsink = "webhook"\nurl = "ftp://x"',
    ':3: notify.me.url: expected an http:// or https:// address, found "ftp://x"',
  ],
  [
    '[notify.me]\nsink = "command"\ncommand = "notify-send hi"',
    ':3: notify.me.command: expected a list of words such as ["npm", "test"], the program first, found "notify-send hi"',
  ],
  ['[budget]\nusd = -1', ':2: budget.usd: expected a number of at least 0, found -1'],
  [
    '[agents.Mine]\npreset = "codex"',
    ':1: agents.Mine: the name "Mine" must be lower-case letters, digits, ".", "_" and "-", a letter or digit first',
  ],
  ['[agents.mine]\n', ':1: agents.mine: adapter "command" needs `command` or `preset`'],
  ['[agents.mine]\nadapter = "acp"', ':1: agents.mine: adapter "acp" needs `command` or `preset`'],
  [
    '[agents.mine]\nadapter = "scripted"',
    ':1: agents.mine: adapter "scripted" needs `script`, the path of its steps',
  ],
  [`${AGENT}timeout = "0s"`, `:3: agents.mine.timeout: expected ${DURATION}, above 0, found "0s"`],
  [`${AGENT}silence = -5`, `:3: agents.mine.silence: expected ${DURATION}, above 0, found -5`],
  ['[repos.main]\nprefix = "web"', ':1: repos.main: needs `path` or `url`'],
  [`${REPO}url = "x"`, ':1: repos.main: has both `path` and `url`; keep one'],
  [
    '[repos.main]\npath = "."',
    ':1: repos.main.prefix: is missing; expected 1 to 20 lower-case letters and digits, a letter first',
  ],
  [
    '[repos.main]\npath = "."\nprefix = "Web"',
    ':3: repos.main.prefix: expected 1 to 20 lower-case letters and digits, a letter first, found "Web"',
  ],
  [
    '[repos.main]\npath = "."\nprefix = "run"',
    ':3: repos.main.prefix: "run" is reserved; so are cv, plan, ap, crew',
  ],
  [
    `${REPO}[repos.other]\npath = "o"\nprefix = "web"`,
    ':6: repos.other.prefix: "web" is already the prefix of repos.main',
  ],
  [
    `${AGENT}${REPO}agent = "min"`,
    ':6: repos.main.agent: names "min", but there is no [agents.min]; did you mean "mine"?',
  ],
  [`${REPO}reviewer = "ann"`, ':4: repos.main.reviewer: names "ann", but there is no [agents.ann]'],
  [`${REPO}slots = 0`, ':4: repos.main.slots: expected a whole number of at least 1, found 0'],
  [
    `${REPO}env = ["A=b"]`,
    ':4: repos.main.env.0: expected the name of an environment variable, found "A=b"',
  ],
  [`${REPO}review_each = "no"`, ':4: repos.main.review_each: expected true or false, found "no"'],
  [
    `${GATE}timeout = "0s"`,
    `:7: repos.main.gates.0.timeout: expected ${DURATION}, above 0, found "0s"`,
  ],
  [
    `${GATE}phase = "later"`,
    ':7: repos.main.gates.0.phase: expected one of "always", "change", "landing", found "later"',
  ],
  [
    `${REPO}[[repos.main.gates]]\nname = "test"\nrun = "  "`,
    ':6: repos.main.gates.0.run: expected a list of words such as ["npm", "test"], or a shell line such as "npm test"; not empty, found "  "',
  ],
  [
    `${GATE}[[repos.main.gates]]\nname = "test"\nrun = "y"`,
    ':8: repos.main.gates.1.name: "test" is already the name of an earlier gate',
  ],
  [
    '[ship]\nsteps = [50, 25]',
    ':2: ship.steps: expected a list of ascending whole numbers from 1 to 100, found [50,25]',
  ],
  [
    '[ship]\nsteps = [5, 101]',
    ':2: ship.steps: expected a list of ascending whole numbers from 1 to 100, found [5,101]',
  ],
  [
    '[ship]\nmax_error_rate = 5',
    ':2: ship.max_error_rate: expected a number above 0 and at most 1, found 5',
  ],
  ['[ship]\nauto = 1979-05-27', ':2: ship.auto: expected one of "never", "landed", found a date'],
])('GT-151 %j is refused', (text, message) =>
  expect(problem(text)).toMatchObject({
    code: 'config_invalid',
    message: `.convoy/config.toml${message}`,
  }),
);
