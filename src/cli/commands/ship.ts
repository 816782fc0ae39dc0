import { shape } from '../command.ts';
import { RUN_OPTIONS } from './run-options.ts';

const TARGET = {
  name: 'target',
  summary: 'a directory, the address of a repository, or owner/name',
} as const;
const PLAN = { name: 'plan', summary: 'the plan, or a prefix of its id' } as const;
const PLATFORM = {
  kind: 'text',
  name: 'platform',
  value: 'NAME',
  summary: 'run everything there',
  choices: ['local', 'fly', 'railway', 'vercel', 'cloudrun'],
} as const;
const PARTS = {
  kind: 'text',
  name: 'workspace',
  value: 'NAME',
  summary: 'only this part of a monorepo, by name or directory',
  repeatable: true,
} as const;
const DRIFT = {
  kind: 'flag',
  name: 'allow-drift',
  summary: 'go on although the repository has changed since the plan',
} as const;
const INJECT = {
  kind: 'text',
  name: 'inject-failure',
  value: 'STAGE',
  summary: 'make the example service fail at a stage (with --demo)',
  choices: ['rehearse', 'author', 'canary', 'promote', 'observe'],
} as const;

export const plan = shape({
  path: ['plan'],
  group: 'Ship',
  summary: 'Say exactly what apply would do; runs and changes nothing',
  description:
    'Reads the repository and shows its services, where they would run and why, the files to ' +
    'write, the steps with their way back, and what will be asked. Needs no workspace.',
  args: [TARGET],
  options: [
    { kind: 'flag', name: 'save', summary: 'keep it, so that it can be applied' },
    PLATFORM,
    PARTS,
    { kind: 'text', name: 'fly-app', value: 'NAME', summary: 'the application on Fly.io' },
    { kind: 'flag', name: 'ai', summary: 'let a model word it, or never', negatable: true },
    { kind: 'flag', name: 'open', summary: 'show it in the dashboard (with --save)' },
  ],
  examples: [
    { run: 'convoy plan .', says: 'see what shipping this directory would mean' },
    { run: 'convoy plan ../api --save', says: 'keep the plan for convoy apply' },
    { run: 'convoy plan octo/web --platform fly --json', says: 'plan a remote repository' },
  ],
});

export const plans = shape({
  path: ['plans'],
  group: 'Ship',
  summary: 'List saved plans, newest first',
  args: [],
  options: [],
  examples: [
    { run: 'convoy plans', says: 'see what could be applied' },
    { run: 'convoy plans --json', says: 'read them in a script' },
  ],
});

export const show = shape({
  path: ['show'],
  group: 'Ship',
  summary: 'Show a saved plan, or exactly what an approval is about',
  args: [{ name: 'id', summary: 'a plan or an approval, or a prefix of its id' }],
  options: [{ kind: 'flag', name: 'files', summary: 'a plan: with the content of every file' }],
  examples: [
    { run: 'convoy show plan-4d1x9', says: 'read a plan again' },
    { run: 'convoy show plan-4d --files', says: 'see what would be written, line by line' },
    { run: 'convoy show ap-7k2p9', says: 'see what a yes would be bound to' },
  ],
});

export const rehearse = shape({
  path: ['rehearse'],
  group: 'Ship',
  summary: 'Install, build, start and load a service in a throw-away copy',
  description: 'The rehearsal of an apply alone. Your files, ports and processes stay untouched.',
  args: [TARGET],
  options: [
    {
      kind: 'text',
      name: 'lane',
      value: 'NAME',
      summary: 'only this service',
      repeatable: true,
    },
    {
      kind: 'text',
      name: 'env',
      value: 'KEY=VALUE',
      summary: 'give the service a variable',
      repeatable: true,
    },
    { kind: 'text', name: 'env-file', value: 'FILE', summary: 'give it the variables of a file' },
    {
      kind: 'text',
      name: 'probe-path',
      value: '/PATH',
      summary: 'ask and load this path',
      repeatable: true,
    },
    { kind: 'flag', name: 'trust-repo', summary: 'run cloned code without real isolation' },
    { kind: 'flag', name: 'ai', summary: 'let a model help the medic, or never', negatable: true },
  ],
  examples: [
    { run: 'convoy rehearse .', says: 'see whether it starts and answers' },
    {
      run: 'convoy rehearse . --lane api --env DATABASE_URL=…',
      says: 'one service, with a setting',
    },
  ],
  lingers: true,
});

export const apply = shape({
  path: ['apply'],
  group: 'Ship',
  summary: 'Carry out a saved plan, stage by stage',
  description:
    'Rehearses before it writes anything, asks before it writes, and can be resumed wherever it ' +
    'was cut off. On a terminal it waits for your decisions; otherwise it ends with 5 at the first.',
  args: [PLAN],
  options: [
    ...RUN_OPTIONS,
    DRIFT,
    { kind: 'flag', name: 'demo', summary: 'mark the run as a demo' },
    INJECT,
  ],
  examples: [
    { run: 'convoy apply plan-4d1x9', says: 'carry it out and decide as you go' },
    { run: 'convoy apply plan-4d1x9 --yes --json', says: 'from a script, without questions' },
  ],
  lingers: true,
});

export const ship = shape({
  path: ['ship'],
  group: 'Ship',
  summary: 'Plan a repository, save the plan and apply it',
  args: [{ ...TARGET, optional: true }],
  options: [
    PLATFORM,
    PARTS,
    ...RUN_OPTIONS,
    { kind: 'flag', name: 'demo', summary: 'ship the example service, on this machine only' },
    INJECT,
  ],
  examples: [
    { run: 'convoy ship .', says: 'plan and apply in one go' },
    { run: 'convoy ship --demo --yes', says: 'watch it work on the example service' },
    { run: 'convoy ship --demo --inject-failure rehearse', says: 'watch it fail and say why' },
  ],
  lingers: true,
});

export const runs = shape({
  path: ['runs'],
  group: 'Ship',
  summary: 'List runs, newest first',
  args: [],
  options: [
    {
      kind: 'text',
      name: 'status',
      short: 's',
      value: 'STATUS',
      summary: 'only in this state',
      repeatable: true,
      choices: [
        'pending',
        'running',
        'awaiting_approval',
        'awaiting_fix',
        'paused',
        'interrupted',
        'succeeded',
        'rejected',
        'failed',
        'cancelled',
      ],
    },
    { kind: 'text', name: 'plan', value: 'PLAN', summary: 'only of this plan' },
    { kind: 'number', name: 'limit', short: 'n', value: 'N', summary: 'at most N', least: 1 },
  ],
  examples: [
    { run: 'convoy runs', says: 'see what was shipped and what waits' },
    { run: 'convoy runs --status awaiting_fix', says: 'see what waits for a fix' },
  ],
});
