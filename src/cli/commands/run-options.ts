import type { Option } from '../command.ts';

/** What an apply, a ship and a resume may be asked for. */
export const RUN_OPTIONS = [
  { kind: 'flag', name: 'yes', short: 'y', summary: 'approve whatever the run asks' },
  { kind: 'flag', name: 'auto-approve', summary: 'the same as --yes' },
  { kind: 'flag', name: 'wait', summary: 'wait for decisions even without a terminal' },
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
  { kind: 'flag', name: 'real-rehearsal', summary: 'rehearse, or go without', negatable: true },
  { kind: 'flag', name: 'real-author', summary: 'write files, or none', negatable: true },
  {
    kind: 'flag',
    name: 'auto-merge',
    summary: 'merge the pull request after a yes, or leave it',
    negatable: true,
  },
  {
    kind: 'text',
    name: 'fix',
    value: 'WHO',
    summary: 'let an agent mend what is for the developer',
    choices: ['agent'],
  },
  { kind: 'text', name: 'fly-app', value: 'NAME', summary: 'the application on Fly.io' },
  { kind: 'flag', name: 'ai', summary: 'let a model help, or never', negatable: true },
  { kind: 'flag', name: 'open', summary: 'show it in the dashboard' },
] as const satisfies readonly Option[];
