import type { ApprovalJson } from '../../contract/routes/approvals.ts';
import { clean, cleanLine } from './clean.ts';
import { facts } from './facts.ts';
import { paletteFor, type Palette } from './paint.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { relative } from './time.ts';
import { truncate, wrapWide } from './width.ts';

/** `ap-7k2p9  approved  deploy of run-3f: …  by operator:ana` */
export function approvalLine({
  id,
  status,
  kind,
  subject,
  summary,
  decision,
}: ApprovalJson): string {
  const by = decision === null ? '' : `  by ${decision.actor}`;
  const said = (decision?.answer ?? null) === null ? '' : `  answer: ${decision?.answer}`;
  return cleanLine(`${id}  ${status}  ${kind} of ${subject}: ${summary}${by}${said}`);
}

export function approvalTable(approvals: readonly ApprovalJson[], view: View): string[] {
  const palette = paletteFor(view.color);
  const paints = {
    pending: palette.amber,
    approved: palette.green,
    rejected: palette.red,
    void: palette.grey,
  };
  const rows = approvals.map((approval) => [
    approval.id,
    { text: approval.status, paint: paints[approval.status] },
    approval.kind,
    subjectOf(approval),
    relative(Date.parse(approval.requested_at), view.now()),
    approval.decision?.actor ?? '',
    whatOf(approval),
  ]);
  const columns = [
    { title: 'ID', min: 8 },
    { title: 'STATUS', min: 8 },
    { title: 'KIND' },
    { title: 'OF' },
    { title: 'ASKED' },
    { title: 'BY' },
    { title: 'WHAT', min: 8 },
  ];
  return table(columns, rows, view.columns, palette.grey);
}

/** A question is told by its task and its words; its lane is only a hash. */
function subjectOf({ subject, lane, kind, details: { task } }: ApprovalJson): string {
  if (kind === 'input') return typeof task === 'string' ? task : subject;
  return lane === null ? subject : `${subject} ${lane}`;
}

const whatOf = ({ kind, summary, details: { question } }: ApprovalJson): string =>
  kind === 'input' && typeof question === 'string' ? question : summary;

type Look = Pick<View, 'color' | 'columns'>;

/** Everything that a yes would be bound to. */
export function approvalPage(approval: ApprovalJson, view: Look): string[] {
  const palette = paletteFor(view.color);
  const { id, kind, status, decision, details } = approval;
  return [
    palette.bold(cleanLine(`${id}  ${kind} of ${subjectOf(approval)}`)),
    ...wrapWide(clean(approval.summary), view.columns),
    ...(decision === null
      ? [palette.amber(status)]
      : [cleanLine(`${status} by ${decision.actor}`), ...answerLines(decision.answer, view)]),
    '',
    ...facts(plainFacts(details), view.columns, palette.grey),
    ...filesOf(details, 'files', view, palette),
    ...filesOf(details, 'carried', view, palette),
  ];
}

const answerLines = (answer: string | null, { columns }: Look): string[] =>
  answer === null ? [] : wrapWide(clean(answer), columns);

const LISTS = new Set(['files', 'carried']);

const plainFacts = (details: ApprovalJson['details']): [string, string][] =>
  Object.entries(details).flatMap(([name, value]): [string, string][] => {
    const text = LISTS.has(name) ? '' : wordsOf(value);
    return text === '' ? [] : [[name.replaceAll('_', ' '), text]];
  });

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(wordsOf).join('\n');
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value) ?? '';
  return Object.entries(value)
    .filter(([, held]) => held !== null)
    .map(([name, held]) => `${name.replaceAll('_', ' ')} ${wordsOf(held)}`)
    .join(', ');
}

const MOST_LINES = 200;

/** Each file with what it will hold, or for carried work with its change. */
function filesOf(
  details: ApprovalJson['details'],
  name: string,
  { columns }: Look,
  palette: Palette,
): string[] {
  const list = details[name];
  if (!Array.isArray(list)) return [];
  return list.flatMap((file: unknown) => {
    if (typeof file !== 'object' || file === null) return [];
    const text = (key: string): string => {
      const held: unknown = Reflect.get(file, key);
      return typeof held === 'string' ? held : '';
    };
    const body = clean(text('content') || text('diff'))
      .trimEnd()
      .split('\n');
    const what = name === 'carried' ? `carry ${text('change')}` : text('action');
    return [
      '',
      palette.bold(truncate(cleanLine(`${what} ${text('path')}`), columns)),
      ...body
        .slice(0, MOST_LINES)
        .map((line) => palette.grey(truncate(`  ${line}`, columns).trimEnd())),
      ...(body.length > MOST_LINES ? [`  … ${body.length - MOST_LINES} more lines`] : []),
    ];
  });
}
