import { shape } from '../command.ts';

const CHANGE = {
  name: 'change',
  summary: 'a change, or the task whose last change is meant',
} as const;
const REASON = { kind: 'text', name: 'reason', short: 'm', value: 'TEXT', summary: 'why' } as const;
const REPO = {
  kind: 'text',
  name: 'repo',
  value: 'NAME',
  summary: 'only this repository',
} as const;
const TARGET = {
  kind: 'text',
  name: 'target',
  value: 'BRANCH',
  summary: 'only the queue of this branch',
} as const;

export const queueList = shape({
  path: ['queue', 'list'],
  group: 'Land',
  summary: 'List the changes on their way into a target, in their order',
  args: [],
  options: [
    REPO,
    TARGET,
    { kind: 'flag', name: 'all', summary: 'also those that left without landing' },
  ],
  examples: [
    { run: 'convoy queue list', says: 'see what lands next' },
    { run: 'convoy queue list --repo main --all --json', says: 'read all of one repo in a script' },
  ],
});

export const queueShow = shape({
  path: ['queue', 'show'],
  group: 'Land',
  summary: 'Show one change with what gates and git said about it',
  args: [CHANGE],
  options: [],
  examples: [
    { run: 'convoy queue show ch-x7k2p9', says: 'see why it left, with the log' },
    { run: 'convoy queue show web-a3f --json', says: 'the last change of a task, for a script' },
  ],
});

export const queueRetry = shape({
  path: ['queue', 'retry'],
  group: 'Land',
  summary: 'Verify a change again, as if its gates had never answered',
  args: [CHANGE],
  options: [REASON],
  examples: [
    { run: 'convoy queue retry ch-x7k2p9', says: 'after a flaky gate' },
    { run: 'convoy queue retry web-a3f --reason "runner was full"', says: 'and say why' },
  ],
});

export const queueReject = shape({
  path: ['queue', 'reject'],
  group: 'Land',
  summary: 'Take a change out of the queue; its task goes back to open',
  args: [CHANGE],
  options: [REASON],
  examples: [
    {
      run: 'convoy queue reject ch-x7k2p9 --reason "wrong approach"',
      says: 'the next attempt reads it',
    },
    { run: 'convoy queue reject web-a3f', says: 'name it by its task' },
  ],
});

export const queueMove = shape({
  path: ['queue', 'move'],
  group: 'Land',
  summary: 'Put a change at another place of its queue',
  description: 'What it needs still comes before it.',
  args: [CHANGE],
  options: [
    { kind: 'number', name: 'to', value: 'N', least: 1, default: 1, summary: 'the place, from 1' },
  ],
  examples: [
    { run: 'convoy queue move ch-x7k2p9 --to 1', says: 'verify it next' },
    { run: 'convoy queue move web-a3f --to 4', says: 'let others go first' },
  ],
});

export const queuePause = shape({
  path: ['queue', 'pause'],
  group: 'Land',
  summary: 'Verify and land nothing until it is resumed',
  description: 'Without --target every queue of the repository stands still, new ones too.',
  args: [],
  options: [REPO, TARGET, REASON],
  examples: [
    { run: 'convoy queue pause --reason "release week"', says: 'hold everything' },
    { run: 'convoy queue pause --repo main --target main', says: 'hold one branch' },
  ],
});

export const queueResume = shape({
  path: ['queue', 'resume'],
  group: 'Land',
  summary: 'Go on after a pause or a broken gate',
  args: [],
  options: [REPO, TARGET],
  examples: [
    { run: 'convoy queue resume', says: 'go on everywhere' },
    { run: 'convoy queue resume --repo main', says: 'the gate is mended' },
  ],
});

export const land = shape({
  path: ['land'],
  group: 'Land',
  summary: 'Land an owned convoy, or try a failed landing again',
  description:
    'Convoys land by themselves when their work is done, unless they are owned. Open work refuses. ' +
    'The landing goes through the queue and its gates like every change. A sub-epic lands in the branch above it.',
  args: [{ name: 'id', summary: 'the convoy, or a sub-epic with a branch of its own' }],
  options: [
    { kind: 'flag', name: 'dry-run', summary: 'say what would happen and change nothing' },
    {
      kind: 'flag',
      name: 'keep-worktrees',
      summary: 'attempts that the landing asks for keep their worktrees, to be looked at',
    },
  ],
  examples: [
    { run: 'convoy land cv-7k2 --dry-run', says: 'see whether it merges' },
    { run: 'convoy land cv-7k2', says: 'land it' },
    { run: 'convoy land shop-a3f', says: 'try the landing of a sub-epic again' },
  ],
});
