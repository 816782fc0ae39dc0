import type { StageReport } from '../../contract/schemas/stage.ts';
import { cleanLine } from './clean.ts';
import { findings } from './findings.ts';
import { paletteFor, type Cell, type Palette } from './paint.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { duration } from './time.ts';
import { tree, type TreeNode } from './tree.ts';
import { truncate } from './width.ts';

/** Tree, then waves, then what is in no wave, then findings, then what to do next. */
export function stagePage(report: StageReport, view: View): string[] {
  const palette = paletteFor(view.color);
  const inferred = report.inferred.map(({ id, depends_on }) =>
    cleanLine(`  ${id} after ${depends_on}`),
  );
  const page = [
    ...(inferred.length === 0 ? [] : ['Inferred order', ...inferred, '']),
    ...tree(nodesOf(report.tree, palette), view.columns),
    ...(report.waves.length === 0 ? [] : ['', ...waveTable(report, view, palette)]),
    ...spaced(waiting('Waiting for a decision', gatedRows(report), view)),
    ...spaced(waiting('Waiting for work outside', outsideRows(report), view)),
    ...spaced(findings('Errors', report.errors, view.columns, palette.red)),
    ...spaced(findings('Warnings', report.warnings, view.columns, palette.amber)),
    ...spaced(findings('Notices', report.notices, view.columns, palette.grey)),
    '',
    verdict(report),
  ];
  return page[0] === '' ? page.slice(1) : page;
}

const spaced = (lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', ...lines]);

function nodesOf(flat: StageReport['tree'], palette: Palette): TreeNode[] {
  const children = new Map<string | null, TreeNode[]>();
  const known = new Set(flat.map(({ id }) => id));
  const made = flat.map((row) => {
    const below: TreeNode[] = [];
    children.set(row.id, below);
    const label = `${row.id}  ${row.title}`;
    return { row, node: { label, suffix: suffixOf(row, palette), children: below } };
  });
  const roots: TreeNode[] = [];
  for (const { row, node } of made) {
    const home = row.parent !== null && known.has(row.parent) ? children.get(row.parent) : roots;
    home?.push(node);
  }
  return roots;
}

/** `○ open, blocked by a, b and 3 more`: what matters first, before a narrow terminal cuts it. */
function suffixOf({ status: state, blocked_by: by }: Row, palette: Palette): Cell {
  const { text, paint } = status('task', state, palette);
  return by.length === 0 ? { text, paint } : { text: `${text}, blocked by ${some(by)}`, paint };
}

type Row = StageReport['tree'][number];

const MOST_NAMED = 2;

function some(ids: readonly string[]): string {
  const named = ids.slice(0, MOST_NAMED).join(', ');
  return ids.length > MOST_NAMED ? `${named} and ${ids.length - MOST_NAMED} more` : named;
}

/** A task in no wave, and what it waits for: nothing of its own when another of the list holds it. */
type Waiting = { readonly id: string; readonly on: readonly string[] };

const gatedRows = ({ gated }: StageReport): Waiting[] =>
  gated.map(({ id, gated_by: on }) => ({ id, on }));

const outsideRows = ({ outside }: StageReport): Waiting[] =>
  outside.map(({ id, blocked_by: on }) => ({ id, on }));

function waiting(heading: string, rows: readonly Waiting[], view: View): string[] {
  if (rows.length === 0) return [];
  return [
    `${heading} (${rows.length})`,
    ...rows.map(({ id, on }) => {
      const why = on.length === 0 ? 'behind another of these' : `blocked by ${some(on)}`;
      return truncate(cleanLine(`  ${id}  ${why}`), view.columns);
    }),
  ];
}

function waveTable(report: StageReport, view: View, palette: Palette): string[] {
  const critical = new Set(report.critical_path);
  const rows = report.waves.flatMap(({ number, tasks }) =>
    tasks.map((task) => [
      String(number),
      critical.has(task.id) ? `${task.id} *` : task.id,
      task.repo ?? '?',
      task.title,
      some(task.blocked_by),
    ]),
  );
  const columns = [
    { title: 'WAVE', align: 'right' as const },
    { title: 'TASK', min: 8 },
    { title: 'REPO' },
    { title: 'TITLE', min: 10 },
    { title: 'BLOCKED BY', max: 32 },
  ];
  return [
    ...table(columns, rows, view.columns, palette.grey),
    palette.grey('* on the critical path'),
  ];
}

function verdict(report: StageReport): string {
  if (report.status === 'error') return 'Not staged: nothing was written.';
  const { minutes, critical_path_minutes: path } = report.estimate;
  const estimate =
    minutes === 0
      ? ''
      : ` About ${duration(path * 60_000)} at best, ${duration(minutes * 60_000)} of work.`;
  const what = `${report.restaged ? 'Staged again' : 'Staged'} as ${report.convoy_id}: ${report.status}.`;
  return cleanLine(report.launched ? `${what} Launched.${estimate}` : what + estimate);
}
