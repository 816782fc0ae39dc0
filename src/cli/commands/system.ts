import { shape } from '../command.ts';
import { BIND_OPTIONS } from './bind-options.ts';

const KEY = { name: 'key', summary: 'for example workspace.max_parallel' } as const;

export const configGet = shape({
  path: ['config', 'get'],
  group: 'System',
  summary: 'Print a setting that is in force',
  args: [KEY],
  options: [],
  examples: [
    { run: 'convoy config get workspace.max_parallel', says: 'print one value' },
    { run: 'convoy config get repos.main --json', says: 'print a whole section as JSON' },
  ],
});

export const configSet = shape({
  path: ['config', 'set'],
  group: 'System',
  summary: 'Set or remove a key of config.toml, keeping your comments',
  description:
    'Numbers, true, false, JSON lists and JSON objects are read as such; everything else is text.',
  args: [KEY, { name: 'value', summary: 'the new value', optional: true }],
  options: [{ kind: 'flag', name: 'remove', summary: 'take the key out' }],
  examples: [
    { run: 'convoy config set workspace.max_parallel 8', says: 'change a value' },
    { run: 'convoy config set budget.usd --remove', says: 'go back to the default' },
  ],
});

export const configEdit = shape({
  path: ['config', 'edit'],
  group: 'System',
  summary: 'Open config.toml in your editor and check it afterwards',
  args: [],
  options: [],
  examples: [
    { run: 'convoy config edit', says: 'edit with $VISUAL or $EDITOR' },
    { run: 'EDITOR=nano convoy config edit', says: 'edit with another editor' },
  ],
});

export const configExplain = shape({
  path: ['config', 'explain'],
  group: 'System',
  summary: 'Show where each setting comes from',
  args: [{ ...KEY, optional: true }],
  options: [],
  examples: [
    { run: 'convoy config explain', says: 'see every value and its source' },
    { run: 'convoy config explain repos.main', says: 'only one section' },
  ],
});

export const configPath = shape({
  path: ['config', 'path'],
  group: 'System',
  summary: 'Print the path of config.toml',
  args: [],
  options: [],
  examples: [
    { run: 'convoy config path', says: 'see which file counts' },
    { run: 'cat "$(convoy config path)"', says: 'read it' },
  ],
});

export const doctor = shape({
  path: ['doctor'],
  group: 'System',
  summary: 'Check tools, settings, ledger and leftovers, each problem with its fix',
  args: [],
  options: [],
  examples: [
    { run: 'convoy doctor', says: 'see what is wrong' },
    { run: 'convoy doctor --json', says: 'read it in a script; exit 1 when something is wrong' },
  ],
});

export const events = shape({
  path: ['events'],
  group: 'System',
  summary: 'Print what happened, in order',
  description: 'With --json each event is one JSON document on a line of its own.',
  args: [],
  options: [
    { kind: 'number', name: 'after', value: 'SEQ', summary: 'only after this number', least: 0 },
    { kind: 'flag', name: 'follow', short: 'f', summary: 'go on as things happen' },
    { kind: 'text', name: 'subject', value: 'ID', summary: 'only about this' },
    { kind: 'text', name: 'kind', value: 'KIND', summary: 'only this kind', repeatable: true },
    {
      kind: 'number',
      name: 'limit',
      short: 'n',
      value: 'N',
      summary: 'at most N events',
      least: 1,
    },
  ],
  examples: [
    { run: 'convoy events --subject web-a3f', says: 'the history of a task' },
    { run: 'convoy events --after 1200 -f --json', says: 'feed another program' },
  ],
});

export const ledgerInfo = shape({
  path: ['ledger', 'info'],
  group: 'System',
  summary: 'Say where the ledger is and how much it holds',
  args: [],
  options: [],
  examples: [
    { run: 'convoy ledger info', says: 'see engine, place and size' },
    { run: 'convoy ledger info --json', says: 'read it in a script' },
  ],
});

export const ledgerVerify = shape({
  path: ['ledger', 'verify'],
  group: 'System',
  summary: 'Replay every event and compare with the stored state',
  args: [],
  options: [],
  examples: [
    { run: 'convoy ledger verify', says: 'check the hash chain and every row' },
    { run: 'convoy ledger verify --json', says: 'read the differences in a script' },
  ],
});

export const up = shape({
  path: ['up'],
  group: 'System',
  summary: 'Run the engine of this workspace and serve its API',
  args: [],
  options: [
    { kind: 'flag', name: 'detach', short: 'd', summary: 'in the background' },
    {
      kind: 'number',
      name: 'port',
      value: 'PORT',
      summary: 'instead of 3737',
      least: 0,
      most: 65_535,
    },
    ...BIND_OPTIONS,
  ],
  examples: [
    { run: 'convoy up', says: 'stay in the foreground until Ctrl-C' },
    { run: 'convoy up --detach', says: 'go on in the background' },
  ],
  lingers: true,
});

export const down = shape({
  path: ['down'],
  group: 'System',
  summary: 'Stop the engine of this workspace',
  args: [],
  options: [],
  examples: [
    { run: 'convoy down', says: 'stop it; running work is kept' },
    { run: 'convoy -C ../shop down', says: 'stop that of another workspace' },
  ],
});

export const logs = shape({
  path: ['logs'],
  group: 'System',
  summary: 'Print what an attempt at a task or the gates of a change said',
  args: [
    {
      name: 'id',
      summary:
        'a task (its newest attempt), an attempt, a change (its newest gate run) or a gate run',
    },
  ],
  options: [{ kind: 'flag', name: 'follow', short: 'f', summary: 'go on until it has ended' }],
  examples: [
    { run: 'convoy logs web-a3f', says: 'read the newest attempt' },
    { run: 'convoy logs web-a3f -f', says: 'watch the agent work' },
  ],
});
