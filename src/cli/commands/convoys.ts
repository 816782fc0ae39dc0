import { shape } from '../command.ts';
import { CONVOY_FIELDS } from './convoy-options.ts';
import { RUN_OPTIONS } from './run-options.ts';
import { CONVOY_STATUSES } from './words.ts';

const CONVOY = { name: 'convoy', summary: 'the convoy, or a prefix of its id' } as const;
const TASKS = { name: 'tasks', summary: 'ids of tasks', variadic: true } as const;
const REASON = { kind: 'text', name: 'reason', short: 'm', value: 'TEXT', summary: 'why' } as const;

export const create = shape({
  path: ['create'],
  group: 'Convoys',
  summary: 'Track a batch of tasks as one convoy',
  description: 'Nothing starts until the convoy is launched, unless --launch is given.',
  args: [
    { name: 'name', summary: "what to call it; the epic's title when left out", optional: true },
    { name: 'ids', summary: 'ids of tasks', optional: true, variadic: true },
  ],
  options: [
    { kind: 'text', name: 'from-epic', value: 'ID', summary: 'take every task below this epic' },
    ...CONVOY_FIELDS,
    { kind: 'flag', name: 'launch', summary: 'start at once' },
  ],
  examples: [
    { run: 'convoy create "Health checks" web-a3f web-b21', says: 'track two tasks' },
    { run: 'convoy create --from-epic web-9c1 --max-parallel 3', says: 'track an epic' },
    {
      run: 'convoy create Nightly web-a3f --budget usd=5 --notify me --launch',
      says: 'start at once with a limit',
    },
  ],
});

export const edit = shape({
  path: ['edit'],
  group: 'Convoys',
  summary: 'Change the options of a convoy',
  args: [CONVOY],
  options: [
    { kind: 'text', name: 'title', value: 'TEXT', summary: 'what to call it' },
    ...CONVOY_FIELDS,
  ],
  examples: [
    { run: 'convoy edit cv-7k2 --max-parallel 8', says: 'let more agents work' },
    { run: 'convoy edit cv-7k2 --title "Health, second try"', says: 'call it something else' },
  ],
});

export const add = shape({
  path: ['add'],
  group: 'Convoys',
  summary: 'Add tasks to a convoy; a finished one opens again',
  args: [CONVOY, TASKS],
  options: [],
  examples: [
    { run: 'convoy add cv-7k2 web-c44', says: 'add a task' },
    { run: 'convoy add cv-7k2 web-c44 web-d05', says: 'add several' },
  ],
});

export const remove = shape({
  path: ['remove'],
  group: 'Convoys',
  summary: 'Take tasks out of a convoy; they stay in the ledger',
  args: [CONVOY, TASKS],
  options: [{ kind: 'flag', name: 'dry-run', summary: 'show what it would do' }],
  examples: [
    { run: 'convoy remove cv-7k2 web-c44', says: 'go on without a task' },
    { run: 'convoy remove cv-7k2 web-c44 --dry-run', says: 'see first what that would free' },
  ],
});

export const list = shape({
  path: ['list'],
  group: 'Convoys',
  summary: 'List convoys, newest first',
  args: [],
  options: [
    { kind: 'flag', name: 'all', short: 'a', summary: 'finished ones too' },
    {
      kind: 'text',
      name: 'status',
      short: 's',
      value: 'STATUS',
      summary: 'only in this state',
      choices: CONVOY_STATUSES,
      repeatable: true,
    },
    {
      kind: 'text',
      name: 'label',
      short: 'l',
      value: 'LABEL',
      summary: 'only with this label',
      repeatable: true,
    },
    { kind: 'flag', name: 'tree', summary: 'with their tasks' },
    { kind: 'number', name: 'limit', short: 'n', value: 'N', summary: 'at most N', least: 1 },
  ],
  examples: [
    { run: 'convoy list', says: 'see what is under way' },
    { run: 'convoy list --all --status landed', says: 'see what landed' },
    { run: 'convoy list --tree', says: 'see their tasks as well' },
  ],
});

export const status = shape({
  path: ['status'],
  group: 'Convoys',
  summary: 'Say what needs you, or where one thing is',
  args: [{ name: 'id', summary: 'a convoy, a task or a run; none for everything', optional: true }],
  options: [{ kind: 'flag', name: 'follow', short: 'f', summary: 'stay and show what changes' }],
  examples: [
    { run: 'convoy status', says: 'see what needs you and what is under way' },
    { run: 'convoy status cv-7k2', says: 'see a convoy task by task' },
    { run: 'convoy status cv-7k2 -f', says: 'watch it until it has ended' },
    { run: 'convoy status cv-7k2 --json', says: 'read it in a script' },
  ],
});

export const stage = shape({
  path: ['stage'],
  group: 'Convoys',
  summary: 'Check an epic, tasks or a convoy, and stage it whole or not at all',
  description:
    'Shows the tree, the waves and what was found, each finding with its fix. Errors write ' +
    'nothing. Warnings stage it, and launching then needs --force.',
  args: [{ name: 'targets', summary: 'one epic, or tasks, or one convoy', variadic: true }],
  options: [
    { kind: 'text', name: 'title', value: 'TEXT', summary: 'what to call the convoy' },
    ...CONVOY_FIELDS,
    { kind: 'flag', name: 'launch', summary: 'launch it when it is ready' },
    { kind: 'flag', name: 'force', summary: 'launch it in spite of warnings' },
    {
      kind: 'flag',
      name: 'create-branches',
      summary: 'make base branches that are missing, from the target',
    },
    {
      kind: 'flag',
      name: 'infer-blocks',
      summary: 'order sub-epics without edges as they were written',
    },
    {
      kind: 'number',
      name: 'max-depth',
      value: 'N',
      summary: 'levels to walk down',
      least: 1,
      most: 100,
    },
  ],
  examples: [
    { run: 'convoy stage web-9c1', says: 'check an epic' },
    { run: 'convoy stage web-a3f web-b21 --title "Two fixes"', says: 'stage single tasks' },
    { run: 'convoy stage web-9c1 --max-parallel 3 --review human', says: 'and choose how it runs' },
    { run: 'convoy stage cv-7k2 --json', says: 'stage a convoy again, from a script' },
  ],
});

export const pause = shape({
  path: ['pause'],
  group: 'Convoys',
  summary: 'Start nothing new in a convoy; what runs may finish',
  args: [CONVOY],
  options: [REASON],
  examples: [
    { run: 'convoy pause cv-7k2', says: 'hold it' },
    { run: 'convoy pause cv-7k2 --reason "demo at noon"', says: 'and say why' },
  ],
});

export const resume = shape({
  path: ['resume'],
  group: 'Convoys',
  summary: 'Go on with a convoy after a pause, or with a run that waits',
  description:
    'Without an id, the latest run that waits, was cut off or failed goes on from its journal. ' +
    'A run keeps the options of its apply; those given here replace them.',
  args: [{ name: 'id', summary: 'a convoy or a run, or a prefix of its id', optional: true }],
  options: [
    REASON,
    { kind: 'flag', name: 'fresh', summary: 'a run: do every stage again' },
    ...RUN_OPTIONS,
  ],
  examples: [
    { run: 'convoy resume cv-7k2', says: 'go on with a convoy' },
    { run: 'convoy resume', says: 'go on with the latest run that waits' },
    { run: 'convoy resume run-4d1 --yes', says: 'go on and approve what it asks' },
  ],
  lingers: true,
});

const CLOSE_PRS = {
  kind: 'flag',
  name: 'close-prs',
  summary: 'close its open pull requests, with the reason; else they stay open',
} as const;

export const cancel = shape({
  path: ['cancel'],
  group: 'Convoys',
  summary: 'Give a convoy or a run up: stop what it has under way',
  args: [{ name: 'id', summary: 'a convoy or a run, or a prefix of its id' }],
  options: [REASON, CLOSE_PRS],
  examples: [
    { run: 'convoy cancel cv-7k2', says: 'give it up; its branches stay' },
    { run: 'convoy cancel cv-7k2 --reason "plan changed"', says: 'and say why' },
  ],
});

export const close = shape({
  path: ['close'],
  group: 'Convoys',
  summary: 'Close a convoy whose work is done',
  args: [CONVOY],
  options: [{ kind: 'flag', name: 'force', summary: 'cancel what is not done' }, REASON, CLOSE_PRS],
  examples: [
    { run: 'convoy close cv-7k2', says: 'close it; open work is an error' },
    { run: 'convoy close cv-7k2 --force --reason "plan changed"', says: 'cancel what is left' },
  ],
});

const AS = {
  kind: 'text',
  name: 'as',
  value: 'NAME',
  summary: 'whom to tell; your login when left out',
} as const;

export const watch = shape({
  path: ['watch'],
  group: 'Convoys',
  summary: 'Be told what happens to a convoy',
  args: [CONVOY],
  options: [AS],
  examples: [
    { run: 'convoy watch cv-7k2', says: 'subscribe yourself' },
    { run: 'convoy watch cv-7k2 --as me', says: 'subscribe [notify.me] of the configuration' },
  ],
});

export const unwatch = shape({
  path: ['unwatch'],
  group: 'Convoys',
  summary: 'Stop being told about a convoy',
  args: [CONVOY],
  options: [AS],
  examples: [
    { run: 'convoy unwatch cv-7k2', says: 'unsubscribe yourself' },
    { run: 'convoy unwatch cv-7k2 --as me', says: 'unsubscribe [notify.me]' },
  ],
});

export const stranded = shape({
  path: ['stranded'],
  group: 'Convoys',
  summary: 'List what nothing will move by itself, with the reasons',
  args: [],
  options: [],
  examples: [
    { run: 'convoy stranded', says: 'see what is stuck' },
    { run: 'convoy stranded --json', says: 'read it in a script' },
  ],
});

export const launch = shape({
  path: ['launch'],
  group: 'Convoys',
  summary: 'Start a convoy: agents take its ready tasks',
  description:
    'Takes a staged or tracking convoy, or an epic or tasks that are staged on the way. Starts the ' +
    'engine in the background when none is up; with --wait it runs here until the convoy has ended.',
  args: [{ name: 'targets', summary: 'a convoy, one epic, or tasks', variadic: true }],
  options: [
    { kind: 'flag', name: 'force', summary: 'in spite of warnings' },
    { kind: 'flag', name: 'wait', summary: 'until it landed, closed or cannot go on' },
    { kind: 'text', name: 'title', value: 'TEXT', summary: 'of a convoy staged on the way' },
  ],
  examples: [
    { run: 'convoy launch cv-x7k2p', says: 'start a staged convoy' },
    { run: 'convoy launch web-a3f --wait', says: 'stage an epic, start it, stay until it landed' },
  ],
  lingers: true,
});

export const sling = shape({
  path: ['sling'],
  group: 'Convoys',
  summary: 'Start tasks or an epic at once, in one shared convoy',
  description:
    'Stages and launches in one go, in spite of warnings. Tasks that already share a convoy start there.',
  args: [{ name: 'targets', summary: 'tasks, or one epic', variadic: true }],
  options: [
    { kind: 'text', name: 'agent', value: 'NAME', summary: "instead of the repo's agent" },
    {
      kind: 'text',
      name: 'merge-mode',
      value: 'MODE',
      summary: 'how the work reaches the target',
      choices: ['review-then-land', 'review-and-merge'],
    },
    { kind: 'number', name: 'max-parallel', value: 'N', summary: 'at most N agents', least: 1 },
    { kind: 'flag', name: 'force', summary: 'deferred tasks too' },
    { kind: 'flag', name: 'wait', summary: 'until it landed, closed or cannot go on' },
  ],
  examples: [
    { run: 'convoy sling web-a3f web-b7k', says: 'let agents do two tasks' },
    { run: 'convoy sling web-a3f --agent codex --wait', says: 'choose the agent and stay' },
  ],
  lingers: true,
});
