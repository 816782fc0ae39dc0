import { TASK_STATUSES, TASK_TYPES } from './words.ts';
import type { Option } from '../command.ts';

/** What can be said about a task when it is written and when it is changed. */
export const TASK_FIELDS = [
  {
    kind: 'text',
    name: 'description',
    short: 'd',
    value: 'TEXT',
    summary: "what to do; '-' reads stdin",
  },
  {
    kind: 'text',
    name: 'type',
    short: 't',
    value: 'TYPE',
    summary: 'kind of work',
    choices: TASK_TYPES,
  },
  {
    kind: 'text',
    name: 'priority',
    short: 'p',
    value: 'P',
    summary: 'P0 is the most urgent; P2 when nothing is said',
    choices: ['P0', 'P1', 'P2', 'P3', 'P4', '0', '1', '2', '3', '4'],
  },
  { kind: 'text', name: 'parent', value: 'ID', summary: 'the epic or task it belongs to' },
  { kind: 'text', name: 'repo', short: 'r', value: 'NAME', summary: 'the repository it changes' },
  { kind: 'text', name: 'label', short: 'l', value: 'LABEL', summary: 'a label', repeatable: true },
  {
    kind: 'text',
    name: 'acceptance',
    value: 'TEXT',
    summary: 'a point that must hold at the end',
    repeatable: true,
  },
  { kind: 'text', name: 'assignee', value: 'WHO', summary: 'who answers for it' },
  { kind: 'number', name: 'estimate', value: 'MINUTES', summary: 'how long it may take', least: 0 },
  { kind: 'text', name: 'due', value: 'TIME', summary: 'when it is needed, ISO 8601' },
  { kind: 'text', name: 'defer', value: 'TIME', summary: 'not before this time, ISO 8601' },
  { kind: 'text', name: 'external-ref', value: 'REF', summary: 'its name in another system' },
  { kind: 'text', name: 'agent', value: 'NAME', summary: "instead of the repository's agent" },
  {
    kind: 'text',
    name: 'verify',
    value: 'COMMAND',
    summary: "a gate instead of the repository's gates",
    repeatable: true,
  },
  { kind: 'text', name: 'metadata', value: 'JSON', summary: 'an object for your own use' },
  {
    kind: 'flag',
    name: 'own-branch',
    summary: 'an epic that collects its work on a branch of its own',
    negatable: true,
  },
] as const satisfies readonly Option[];

export const STATUS_FILTER = {
  kind: 'text',
  name: 'status',
  short: 's',
  value: 'STATUS',
  summary: 'only in this state',
  choices: TASK_STATUSES,
  repeatable: true,
} as const satisfies Option;
