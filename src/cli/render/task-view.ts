import type { TaskJson, TaskRowJson } from '../../contract/schemas/task.ts';
import { asksWords } from './asks.ts';
import { facts } from './facts.ts';
import { heading, oneLine } from './heading.ts';
import { misdeedWords } from './misdeeds.ts';
import { paletteFor } from './paint.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import { relative } from './time.ts';

export type View = {
  readonly color: boolean;
  readonly columns: number;
  readonly now: () => number;
};

/** `web-a3f  ✓ merged  Title` */
export function taskLine(
  task: Pick<TaskJson, 'id' | 'status' | 'title'>,
  { color, columns }: Pick<View, 'color' | 'columns'>,
): string {
  return oneLine([task.id, status('task', task.status, paletteFor(color)), task.title], columns);
}

export function taskPage(task: TaskJson, view: View): string[] {
  const palette = paletteFor(view.color);
  const when = (at: string | null): string | null =>
    at === null ? null : `${at} (${relative(Date.parse(at), view.now())})`;
  return [
    ...heading(task.id, task.title, view),
    '',
    ...facts(
      [
        ['status', status('task', task.status, palette)],
        ['because', task.outcome],
        ['asks you', task.asks.length === 0 ? null : task.asks.map(asksWords).join('\n')],
        ['type', `${task.type}, P${task.priority}`],
        ['repo', task.repo],
        ['parent', task.parent],
        ['convoy', task.convoy],
        ['waits for', edges(task.depends_on)],
        ['blocks', edges(task.blocks)],
        ['labels', task.labels.length === 0 ? null : task.labels.join(', ')],
        ['assignee', task.assignee],
        ['agent', task.agent],
        ['attempts', String(task.attempts)],
        [
          'misdeeds',
          task.misdeeds.length === 0 ? null : task.misdeeds.map(misdeedWords).join('\n'),
        ],
        ['merged', mergedWords(task.merged)],
        ['due', when(task.due_at)],
        ['deferred', when(task.defer_until)],
        ['created', when(task.created_at)],
        ['updated', when(task.updated_at)],
      ],
      view.columns,
      palette.grey,
    ),
    ...facts(
      task.acceptance.map(({ text, done }) => [done ? '[x]' : '[ ]', text] as const),
      view.columns,
    ),
    ...(task.description === '' ? [] : ['', ...facts([['', task.description]], view.columns)]),
  ];
}

function edges(list: TaskJson['depends_on']): string | null {
  if (list.length === 0) return null;
  return list
    .map(({ id, kind, level }) => `${id} (${level ? `${kind}, ${level}` : kind})`)
    .join(', ');
}

function mergedWords(merged: TaskJson['merged']): string | null {
  if (merged === null) return null;
  const doubt = merged.unverified ? ', unverified' : '';
  return `${merged.commit.slice(0, 12)} in ${merged.target} (${merged.proof}${doubt})`;
}

export function taskTable(tasks: readonly TaskRowJson[], view: View): string[] {
  const palette = paletteFor(view.color);
  const rows = tasks.map((task) => [
    task.id,
    status('task', task.status, palette),
    `P${task.priority}`,
    task.type,
    task.repo ?? '',
    task.title,
  ]);
  const columns = [
    { title: 'ID', min: 8 },
    { title: 'STATUS', min: 13 },
    { title: 'PRI' },
    { title: 'TYPE' },
    { title: 'REPO' },
    { title: 'TITLE', min: 10 },
  ];
  return table(columns, rows, view.columns, palette.grey);
}
