import type { PlannedFile, RefusedFile } from './author-plan.ts';
import type { CarryPlan, WithheldReason } from './carry.ts';
import { codeSpan, plainText, table } from './markdown.ts';

export type RehearsalEvidence = {
  readonly lane: string;
  readonly outcome: 'passed' | 'failed' | 'not-run';
  /** Why it did not run or did not pass. */
  readonly reason?: string;
  readonly healthPath?: string | null;
  readonly requests?: number;
  /** 0 to 1. */
  readonly errorRate?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly memoryMb?: number;
};

export type PullRequestFacts = {
  readonly planId: string;
  readonly branch: string;
  readonly target: string;
  readonly demo?: boolean;
  readonly files: readonly PlannedFile[];
  readonly refused: readonly RefusedFile[];
  /** Null when no carry was asked for. */
  readonly carry: (CarryPlan & { readonly subject: string }) | null;
  readonly rehearsals: readonly RehearsalEvidence[];
  readonly approvals: readonly {
    readonly kind: string;
    readonly status: string;
    readonly by?: string;
  }[];
  readonly rollback: readonly { readonly lane: string; readonly how: string }[];
};

export type PullRequestText = { readonly title: string; readonly body: string };

// The forge takes 65,536; what is written must arrive whole.
const MOST_CHARACTERS = 60_000;
const MOST_ROWS = 100;

/** What the pull request says: exactly what is in it, what was measured, and the way back. */
export function pullRequestText(facts: PullRequestFacts): PullRequestText {
  const sections = [
    opening(facts),
    ['## What Convoy writes', written(facts.files)],
    ...leftAlone(facts),
    ['## Carried from the working tree', carried(facts.carry)],
    ['## Rehearsal', rehearsal(facts.rehearsals)],
    ['## Way back', bullets(facts.rollback.map(rollbackLine), 'No way back was planned.')],
    ['## Approvals', bullets(facts.approvals.map(approvalLine), 'None was asked for.')],
  ];
  const body = `${sections.flat().join('\n\n')}\n`;
  const lanes = [...new Set(facts.files.flatMap(({ lane }) => (lane === null ? [] : [lane])))];
  const demo = facts.demo === true ? '[demo] ' : '';
  return {
    title: `${demo}convoy: deployment files for ${plainText(lanes.join(', ') || 'this repository', 80)}`,
    body:
      body.length <= MOST_CHARACTERS ? body : `${body.slice(0, MOST_CHARACTERS)}\n\n(cut off)\n`,
  };
}

function opening({ planId, branch, target, demo }: PullRequestFacts): readonly string[] {
  return [
    `Plan ${codeSpan(planId)}, from ${codeSpan(branch)} into ${codeSpan(target)}.`,
    ...(demo === true ? ['**This is a demo; nothing is deployed from it.**'] : []),
  ];
}

function written(files: readonly PlannedFile[]): string {
  const rows = files
    .filter(({ action }) => action === 'create' || action === 'update')
    .map(({ path, action, reason, lane }) => [
      codeSpan(path),
      action,
      plainText(reason.replaceAll('-', ' ')),
      lane === null ? 'all' : plainText(lane),
    ]);
  return rows.length === 0 ? 'Nothing.' : bounded(['File', 'Action', 'Why', 'Lane'], rows);
}

/** Files that a reader would expect and will not find changed. */
function leftAlone({ files, refused }: PullRequestFacts): readonly (readonly string[])[] {
  const lines = [
    ...files
      .filter(({ action }) => action === 'skip')
      .map(({ path, reason }) => `${codeSpan(path)}: ${SKIPPED[reason] ?? 'left as it is'}`),
    ...refused.map(({ path, detail }) => `${codeSpan(path)}: ${plainText(detail)}`),
  ];
  return lines.length === 0 ? [] : [['## Left alone', bullets(lines, '')]];
}

const SKIPPED: Readonly<Record<string, string>> = {
  'exists-owned-by-user': 'it was there before Convoy and stays as it is',
  'edited-by-developer': 'a developer edited it, so it is theirs now',
};

function carried(carry: PullRequestFacts['carry']): string {
  if (carry === null || carry.files.length === 0)
    return ['Nothing uncommitted was carried.', ...heldBack(carry)].join('\n\n');
  const rows = carry.files.map(({ path, from, change, added, removed }) => [
    from === null ? codeSpan(path) : `${codeSpan(from)} → ${codeSpan(path)}`,
    change.replace('_', ' '),
    added === null || removed === null ? 'binary' : `+${added} −${removed}`,
  ]);
  const count = carry.files.length === 1 ? '1 file' : `${carry.files.length} files`;
  const intro = `${count}, uncommitted in the developer's working tree, as a commit of its own: ${plainText(carry.subject)}`;
  return [intro, bounded(['File', 'Change', 'Lines'], rows), ...heldBack(carry)].join('\n\n');
}

const heldBack = (carry: PullRequestFacts['carry']): readonly string[] =>
  carry === null || carry.withheld.length === 0
    ? []
    : [
        `Not carried:\n\n${bullets(
          carry.withheld.map(({ path, reason }) => `${codeSpan(path)}: ${WITHHELD[reason]}`),
          '',
        )}`,
      ];

const WITHHELD: Readonly<Record<WithheldReason, string>> = {
  'secret-name': 'its name says that it holds a secret',
  'secret-content': 'it holds something that looks like a credential',
  'copy-of-a-secret': 'it is a copy of a file that holds a secret',
  'nested-repository': 'it is a repository of its own',
  submodule: 'it is a submodule',
  'convoy-state': "it is Convoy's own state",
  'installed-packages': 'it holds installed packages',
  unreadable: 'it could not be read',
  'too-large': 'it is too large to be shown',
};

function rehearsal(rows: readonly RehearsalEvidence[]): string {
  if (rows.length === 0) return 'No lane was rehearsed.';
  return bounded(
    ['Lane', 'Outcome', 'Health', 'Requests', 'Errors', 'p50', 'p99', 'Memory'],
    rows.map((row) => [
      plainText(row.lane),
      row.reason === undefined ? row.outcome : `${row.outcome}: ${plainText(row.reason)}`,
      row.healthPath == null ? '–' : codeSpan(row.healthPath),
      measured(row.requests, (value) => String(value)),
      measured(row.errorRate, (value) => `${(value * 100).toFixed(2)} %`),
      measured(row.p50Ms, (value) => `${value.toFixed(1)} ms`),
      measured(row.p99Ms, (value) => `${value.toFixed(1)} ms`),
      measured(row.memoryMb, (value) => `${value.toFixed(0)} MB`),
    ]),
  );
}

const measured = (value: number | undefined, show: (value: number) => string): string =>
  value === undefined || !Number.isFinite(value) ? '–' : show(value);

const rollbackLine = ({ lane, how }: PullRequestFacts['rollback'][number]): string =>
  `${plainText(lane)}: ${plainText(how)}`;

const approvalLine = ({ kind, status, by }: PullRequestFacts['approvals'][number]): string =>
  `${plainText(kind.replaceAll('_', ' '))}: ${plainText(status)}${by === undefined ? '' : ` by ${codeSpan(by)}`}`;

function bullets(lines: readonly string[], none: string): string {
  if (lines.length === 0) return none;
  const shown = lines.slice(0, MOST_ROWS).map((line) => `- ${line}`);
  return [...shown, ...more(lines.length)].join('\n');
}

const bounded = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [table(head, rows.slice(0, MOST_ROWS)), ...more(rows.length).map((line) => `\n${line}`)].join(
    '\n',
  );

const more = (count: number): readonly string[] =>
  count > MOST_ROWS ? [`- and ${count - MOST_ROWS} more`] : [];
