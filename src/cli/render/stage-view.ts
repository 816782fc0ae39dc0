import type { StageReport } from '../../contract/schemas/stage.ts';
import { cleanLine } from './clean.ts';
import { findings } from './findings.ts';
import { paletteFor, type Palette } from './paint.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { duration } from './time.ts';
import { tree, type TreeNode } from './tree.ts';

/** Tree, then waves, then findings, then what to do next. */
export function stagePage(report: StageReport, view: View): string[] {
  const palette = paletteFor(view.color);
  const inferred = report.inferred.map(({ id, depends_on }) =>
    cleanLine(`  ${id} after ${depends_on}`),
  );
  return [
    ...(inferred.length === 0 ? [] : ['Inferred order', ...inferred, '']),
    ...tree(nodesOf(report.tree, palette), view.columns),
    ...(report.waves.length === 0 ? [] : ['', ...waveTable(report, view, palette)]),
    ...spaced(findings('Errors', report.errors, view.columns, palette.red)),
    ...spaced(findings('Warnings', report.warnings, view.columns, palette.amber)),
    ...spaced(findings('Notices', report.notices, view.columns, palette.grey)),
    '',
    verdict(report),
  ];
}

const spaced = (lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', ...lines]);

function nodesOf(flat: StageReport['tree'], palette: Palette): TreeNode[] {
  const children = new Map<string | null, TreeNode[]>();
  const known = new Set(flat.map(({ id }) => id));
  const made = flat.map((row) => {
    const below: TreeNode[] = [];
    children.set(row.id, below);
    const label = `${row.id}  ${row.title}`;
    return { row, node: { label, suffix: status('task', row.status, palette), children: below } };
  });
  const roots: TreeNode[] = [];
  for (const { row, node } of made) {
    const home = row.parent !== null && known.has(row.parent) ? children.get(row.parent) : roots;
    home?.push(node);
  }
  return roots;
}

function waveTable(report: StageReport, view: View, palette: Palette): string[] {
  const critical = new Set(report.critical_path);
  const rows = report.waves.flatMap(({ number, tasks }) =>
    tasks.map((task) => [
      String(number),
      critical.has(task.id) ? `${task.id} *` : task.id,
      task.repo ?? '',
      task.blocked_by.join(' '),
      task.title,
    ]),
  );
  const columns = [
    { title: 'WAVE', align: 'right' as const },
    { title: 'TASK', min: 8 },
    { title: 'REPO' },
    { title: 'AFTER', max: 24 },
    { title: 'TITLE', min: 10 },
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
