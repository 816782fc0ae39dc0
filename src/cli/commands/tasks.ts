import { shape } from '../command.ts';
import { STATUS_FILTER, TASK_FIELDS } from './task-options.ts';
import { HELD_STATUSES, LEVELS, TASK_TYPES } from './words.ts';

const ID = {
  name: 'id',
  summary: 'the task, or a prefix of its id that fits nothing else',
} as const;
const REASON = { kind: 'text', name: 'reason', short: 'm', value: 'TEXT', summary: 'why' } as const;

export const taskCreate = shape({
  path: ['task', 'create'],
  group: 'Work',
  summary: 'Write down a task or an epic',
  description:
    'The repository is the only one, or the one you stand in, unless --repo names it. ' +
    'A task that belongs to an epic is numbered below it.',
  args: [{ name: 'title', summary: 'what it is, in a line' }],
  options: [
    ...TASK_FIELDS,
    {
      kind: 'text',
      name: 'after',
      value: 'ID',
      summary: 'a task that must be merged first',
      repeatable: true,
    },
  ],
  examples: [
    { run: 'convoy task create "Add a health route" --type feature', says: 'write down a feature' },
    {
      run: 'convoy task create "Use it" --parent web-a3f --after web-a3f.1',
      says: 'put a task into an epic, behind another one',
    },
    { run: 'git log -1 | convoy task create "Port this" -d -', says: 'read the description' },
  ],
});

export const taskShow = shape({
  path: ['task', 'show'],
  group: 'Work',
  summary: 'Show one task with what it waits for and what waits for it',
  args: [ID],
  options: [],
  examples: [
    { run: 'convoy task show web-a3f', says: 'read a task' },
    { run: 'convoy task show web-a3f --json', says: 'read it in a script' },
  ],
});

export const taskList = shape({
  path: ['task', 'list'],
  group: 'Work',
  summary: 'List the tasks that match all the filters given',
  args: [],
  options: [
    STATUS_FILTER,
    {
      kind: 'text',
      name: 'type',
      short: 't',
      value: 'TYPE',
      summary: 'only this kind of work',
      choices: TASK_TYPES,
      repeatable: true,
    },
    { kind: 'text', name: 'repo', short: 'r', value: 'NAME', summary: 'only in this repository' },
    {
      kind: 'text',
      name: 'label',
      short: 'l',
      value: 'LABEL',
      summary: 'only with this label',
      repeatable: true,
    },
    { kind: 'text', name: 'parent', value: 'ID', summary: 'only directly below this epic' },
    { kind: 'text', name: 'convoy', value: 'ID', summary: 'only in this convoy' },
    { kind: 'text', name: 'assignee', value: 'WHO', summary: 'only what this person answers for' },
    { kind: 'text', name: 'search', value: 'TEXT', summary: 'only where the text occurs' },
    { kind: 'flag', name: 'ready', summary: 'only what could start now' },
    { kind: 'number', name: 'limit', short: 'n', value: 'N', summary: 'at most N tasks', least: 1 },
  ],
  examples: [
    { run: 'convoy task list --status failed', says: 'see what failed' },
    { run: 'convoy task list --repo main --label api --json', says: 'filter for a script' },
  ],
});

export const taskReady = shape({
  path: ['task', 'ready'],
  group: 'Work',
  summary: 'List the tasks that nothing holds back',
  args: [],
  options: [
    { kind: 'text', name: 'repo', short: 'r', value: 'NAME', summary: 'only in this repository' },
    { kind: 'text', name: 'convoy', value: 'ID', summary: 'only in this convoy' },
    { kind: 'number', name: 'limit', short: 'n', value: 'N', summary: 'at most N tasks', least: 1 },
  ],
  examples: [
    { run: 'convoy task ready', says: 'see what could start now' },
    { run: 'convoy task ready --repo main --limit 5', says: 'the first five of a repository' },
  ],
});

export const taskEdit = shape({
  path: ['task', 'edit'],
  group: 'Work',
  summary: 'Change what a task says, its place or its hold',
  description:
    'Only what is named changes. An empty value clears a field. ' +
    '--label replaces all labels; --add-label and --remove-label change single ones.',
  args: [ID],
  options: [
    { kind: 'text', name: 'title', value: 'TEXT', summary: 'what it is, in a line' },
    ...TASK_FIELDS,
    {
      kind: 'text',
      name: 'add-label',
      value: 'LABEL',
      summary: 'one more label',
      repeatable: true,
    },
    {
      kind: 'text',
      name: 'remove-label',
      value: 'LABEL',
      summary: 'one label less',
      repeatable: true,
    },
    {
      kind: 'text',
      name: 'status',
      short: 's',
      value: 'STATUS',
      summary: 'hold it, or let it go',
      choices: HELD_STATUSES,
    },
    REASON,
  ],
  examples: [
    { run: 'convoy task edit web-a3f --priority P0', says: 'make it urgent' },
    {
      run: 'convoy task edit web-a3f --status blocked --reason "waits for legal"',
      says: 'hold it',
    },
    { run: 'convoy task edit web-a3f --assignee ""', says: 'clear a field' },
  ],
});

export const taskClose = shape({
  path: ['task', 'close'],
  group: 'Work',
  summary: 'Declare work without code as done, or decide a decision',
  args: [ID],
  options: [REASON],
  examples: [
    { run: 'convoy task close web-a3f --reason "we take Postgres"', says: 'decide a decision' },
    { run: 'convoy task close web-b21 -m "done by hand"', says: 'close work that needs no code' },
  ],
});

export const taskReopen = shape({
  path: ['task', 'reopen'],
  group: 'Work',
  summary: 'Take a finished task up again',
  args: [ID],
  options: [REASON],
  examples: [
    { run: 'convoy task reopen web-a3f', says: 'open it again' },
    { run: 'convoy task reopen web-a3f --reason "fix was reverted"', says: 'and say why' },
  ],
});

export const taskRetry = shape({
  path: ['task', 'retry'],
  group: 'Work',
  summary: 'Give a failed task a fresh budget of attempts',
  args: [ID],
  options: [REASON],
  examples: [
    { run: 'convoy task retry web-a3f', says: 'try again' },
    { run: 'convoy task retry web-a3f --reason "disk was full"', says: 'and say why' },
  ],
});

export const taskSkip = shape({
  path: ['task', 'skip'],
  group: 'Work',
  summary: 'Leave a task out and let its dependents go on',
  args: [ID],
  options: [REASON],
  examples: [
    { run: 'convoy task skip web-a3f', says: 'go on without it' },
    { run: 'convoy task skip web-a3f --reason "not needed"', says: 'and say why' },
  ],
});

const WAITS = { name: 'task', summary: 'the task that waits' } as const;
const FOR = { name: 'depends-on', summary: 'what it waits for' } as const;

export const taskDepAdd = shape({
  path: ['task', 'dep', 'add'],
  group: 'Work',
  summary: 'Let the first task wait for the second',
  description:
    'Kinds that order work: blocks, conditional-blocks (runs only if the other failed), ' +
    'waits-for (the children of the other), merge-blocks. Any other word is kept as a note. ' +
    'A cycle is refused and shown.',
  args: [WAITS, FOR],
  options: [
    { kind: 'text', name: 'kind', value: 'KIND', summary: 'how it waits', default: 'blocks' },
    {
      kind: 'text',
      name: 'level',
      value: 'LEVEL',
      summary: 'how far the other must be',
      choices: LEVELS,
    },
    {
      kind: 'text',
      name: 'children',
      value: 'WHICH',
      summary: 'for waits-for: all children or any of them',
      choices: ['all', 'any'],
    },
  ],
  examples: [
    { run: 'convoy task dep add web-b21 web-a3f', says: 'web-b21 starts after web-a3f is merged' },
    {
      run: 'convoy task dep add web-b21 web-a3f --level submitted',
      says: 'start as soon as the change is in the queue',
    },
  ],
});

export const taskDepRm = shape({
  path: ['task', 'dep', 'rm'],
  group: 'Work',
  summary: 'Take an edge between two tasks away',
  args: [WAITS, FOR],
  options: [{ kind: 'text', name: 'kind', value: 'KIND', summary: 'only the edge of this kind' }],
  examples: [
    { run: 'convoy task dep rm web-b21 web-a3f', says: 'web-b21 no longer waits for web-a3f' },
    { run: 'convoy task dep rm web-b21 web-a3f --kind related', says: 'take only a note away' },
  ],
});

export const why = shape({
  path: ['why'],
  group: 'Work',
  summary: 'Say why something is where it is',
  args: [{ name: 'id', summary: 'a task or a convoy' }],
  options: [],
  examples: [
    { run: 'convoy why web-a3f', says: 'see what a task waits for' },
    { run: 'convoy why cv-7k2 --json', says: 'read the reasons in a script' },
  ],
});
