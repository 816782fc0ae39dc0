import type { Option } from '../command.ts';

/** What can be chosen about a convoy when it is made and later. */
export const CONVOY_FIELDS = [
  { kind: 'text', name: 'owner', value: 'WHO', summary: 'who answers for it' },
  {
    kind: 'text',
    name: 'notify',
    value: 'NAME',
    summary: 'whom to tell, a [notify.NAME] of the configuration',
    repeatable: true,
  },
  {
    kind: 'text',
    name: 'merge-mode',
    value: 'MODE',
    summary: 'review the whole and land it, or each change by itself',
    choices: ['review-then-land', 'review-and-merge'],
  },
  {
    kind: 'text',
    name: 'base-branch',
    value: 'REPO=BRANCH',
    summary: 'where its work starts from; just BRANCH when there is one repository',
    repeatable: true,
  },
  {
    kind: 'number',
    name: 'max-parallel',
    value: 'N',
    summary: 'agents at the same time',
    least: 1,
  },
  {
    kind: 'text',
    name: 'budget',
    value: 'LIMIT',
    summary: 'usd=5, tokens=1000000, minutes=90 or attempts=20; a bare number is usd',
    repeatable: true,
  },
  {
    kind: 'text',
    name: 'review',
    value: 'WHO',
    summary: 'who reviews the combined change',
    choices: ['none', 'agent', 'human', 'both'],
  },
  {
    kind: 'text',
    name: 'failure-policy',
    value: 'POLICY',
    summary: 'what a failed task does to the others',
    choices: ['hold', 'continue'],
  },
  {
    kind: 'text',
    name: 'auto-ship',
    value: 'WHEN',
    summary: 'whether a deployment is to follow; kept, nothing ships by itself yet',
    choices: ['never', 'landed'],
  },
  { kind: 'text', name: 'label', short: 'l', value: 'LABEL', summary: 'a label', repeatable: true },
  {
    kind: 'flag',
    name: 'owned',
    summary: 'its owner lands it by hand',
    negatable: true,
  },
] as const satisfies readonly Option[];
