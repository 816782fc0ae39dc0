import { shape } from '../command.ts';

const NAME = { name: 'name', summary: 'the repository as config.toml calls it' } as const;
const PREFIX = {
  kind: 'text',
  name: 'prefix',
  value: 'PREFIX',
  summary: 'how the ids of its tasks begin',
} as const;
const TARGET = {
  kind: 'text',
  name: 'target',
  value: 'BRANCH',
  summary: 'the branch that work lands on',
} as const;

export const init = shape({
  path: ['init'],
  group: 'Work',
  summary: 'Make this directory a workspace',
  description:
    'Writes .convoy/config.toml and the ledger. In a git repository it registers that ' +
    'repository too. Running it again changes nothing.',
  args: [],
  options: [
    { kind: 'text', name: 'name', value: 'NAME', summary: 'what to call the repository here' },
    PREFIX,
    TARGET,
  ],
  examples: [
    { run: 'convoy init', says: 'start in the repository you stand in' },
    { run: 'convoy init --name web --prefix web', says: 'choose the names' },
  ],
});

export const repoAdd = shape({
  path: ['repo', 'add'],
  group: 'Work',
  summary: 'Register a repository by its path or address',
  args: [{ name: 'source', summary: 'a directory, or the URL of a remote' }],
  options: [
    { kind: 'text', name: 'name', value: 'NAME', summary: 'what to call it here' },
    PREFIX,
    TARGET,
    { kind: 'text', name: 'agent', value: 'NAME', summary: 'the agent that works in it' },
  ],
  examples: [
    { run: 'convoy repo add ../api --prefix api', says: 'add a repository next door' },
    { run: 'convoy repo add https://example.com/web.git --name web', says: 'add a remote one' },
  ],
});

export const repoList = shape({
  path: ['repo', 'list'],
  group: 'Work',
  summary: 'List the repositories of the workspace',
  args: [],
  options: [],
  examples: [
    { run: 'convoy repo list', says: 'see them with their work' },
    { run: 'convoy repo list --json', says: 'read them in a script' },
  ],
});

export const repoShow = shape({
  path: ['repo', 'show'],
  group: 'Work',
  summary: 'Show one repository with what runs and waits in it',
  args: [NAME],
  options: [],
  examples: [
    { run: 'convoy repo show main', says: 'see its settings, agents and queue' },
    { run: 'convoy repo show main --json', says: 'read it in a script' },
  ],
});

export const repoSet = shape({
  path: ['repo', 'set'],
  group: 'Work',
  summary: 'Change settings of a repository, keeping your comments',
  description:
    'Each setting is key=value with the keys of [repos.<name>]. Numbers, true, false and ' +
    'JSON lists are read as such; everything else is text.',
  args: [NAME, { name: 'settings', summary: 'key=value', variadic: true }],
  options: [],
  examples: [
    { run: 'convoy repo set main agent=mine slots=4', says: 'change two settings' },
    { run: `convoy repo set main 'setup=["npm","ci"]'`, says: 'give a list' },
  ],
});

export const repoPark = shape({
  path: ['repo', 'park'],
  group: 'Work',
  summary: 'Start nothing in this repository until it is unparked',
  args: [NAME],
  options: [{ kind: 'text', name: 'reason', short: 'm', value: 'TEXT', summary: 'why' }],
  examples: [
    { run: 'convoy repo park main', says: 'stop starting work there' },
    { run: 'convoy repo park main --reason "release week"', says: 'and say why' },
  ],
});

export const repoUnpark = shape({
  path: ['repo', 'unpark'],
  group: 'Work',
  summary: 'Let work start in this repository again',
  args: [NAME],
  options: [],
  examples: [
    { run: 'convoy repo unpark main', says: 'go on' },
    { run: 'convoy repo unpark main --json', says: 'go on, from a script' },
  ],
});

export const repoRemove = shape({
  path: ['repo', 'remove'],
  group: 'Work',
  summary: 'Take a repository out of the workspace; its tasks stay',
  args: [NAME],
  options: [{ kind: 'flag', name: 'force', summary: 'even when it has open tasks' }],
  examples: [
    { run: 'convoy repo remove web', says: 'forget a repository that is done' },
    { run: 'convoy repo remove web --force', says: 'even with open tasks' },
  ],
});
