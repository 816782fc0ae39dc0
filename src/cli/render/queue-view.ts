import type {
  QueueDetailJson,
  QueueEntryJson,
  QueueStateJson,
} from '../../contract/routes/queue.ts';
import { cleanLine } from './clean.ts';
import { facts } from './facts.ts';
import { heading, oneLine } from './heading.ts';
import { paletteFor } from './paint.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { duration } from './time.ts';

/** `ch-x7k2  ◐ queued  web-a3f  Title` */
export const changeLine = (
  entry: QueueEntryJson,
  { color, columns }: Pick<View, 'color' | 'columns'>,
): string =>
  oneLine(
    [
      entry.id,
      status('change', entry.state, paletteFor(color)),
      entry.position === null ? '' : `#${entry.position}`,
      entry.task,
      entry.title,
    ].filter((part) => part !== ''),
    columns,
  );

/** Queues first where they stand still, then what is in them. */
export function queueTable(
  entries: readonly QueueEntryJson[],
  queues: readonly QueueStateJson[],
  view: View,
): string[] {
  const palette = paletteFor(view.color);
  const stopped = queues.flatMap((queue) => stateLines(queue, palette.amber));
  const rows = entries.map((entry) => [
    entry.position === null ? '' : String(entry.position),
    entry.id,
    status('change', entry.state, palette),
    entry.landing ? `landing of ${entry.task}` : entry.task,
    `${entry.repo}:${entry.target}`,
    duration(entry.waiting_s * 1000),
    [entry.reason ?? entry.title, ageWords(entry)].filter((part) => part !== '').join('; '),
  ]);
  const columns = [
    { title: '#', align: 'right' as const },
    { title: 'ID', min: 9 },
    { title: 'STATE', min: 12 },
    { title: 'TASK', min: 8 },
    { title: 'INTO', max: 40 },
    { title: 'WAITS', align: 'right' as const },
    { title: 'WHAT', min: 10 },
  ];
  return [...stopped, ...table(columns, rows, view.columns, palette.grey)];
}

export function queueStates(queues: readonly QueueStateJson[], view: View): string[] {
  const { amber } = paletteFor(view.color);
  return queues.map((queue) => {
    const [line] = stateLines(queue, amber);
    return line ?? cleanLine(`${nameOf(queue)}  goes on`);
  });
}

function stateLines(queue: QueueStateJson, paint: (text: string) => string): string[] {
  const by = queue.by === 'gate' ? 'paused by its gate' : 'paused';
  return [
    ...(queue.paused ? [`${by}: ${queue.reason ?? ''}`] : []),
    ...(queue.held === null ? [] : [`held: ${queue.held}`]),
    ...(queue.stalled_since === null
      ? []
      : [`does not move since ${queue.stalled_since}; it was started again`]),
  ].map((what) => paint(cleanLine(`${nameOf(queue)}  ◆ ${what}`)));
}

const nameOf = ({ repo, target }: QueueStateJson): string =>
  target === '*' ? repo : `${repo}:${target}`;

/** `unresolved for 5 h, people were told` */
function ageWords({ conflict_age_s: age, escalated }: QueueEntryJson): string {
  if (age === null) return '';
  return `unresolved for ${duration(age * 1000)}${escalated ? ', people were told' : ''}`;
}

/** `vf-1x2 green (test: failed-once, green)` */
function runWords({ id, outcome, retried }: QueueDetailJson['verifications'][number]): string {
  const again = retried.map(({ gate, tries }) => `${gate}: ${tries.join(', ')}`);
  return `${id} ${outcome ?? 'runs'}${again.length === 0 ? '' : ` (${again.join('; ')})`}`;
}

export function changePage(entry: QueueDetailJson, view: View): string[] {
  const palette = paletteFor(view.color);
  const { failure, conflict, merged } = entry;
  const runs = entry.verifications.map(runWords);
  return [
    ...heading(entry.id, entry.title, view),
    '',
    ...facts(
      [
        ['state', status('change', entry.state, palette)],
        ['because', entry.reason],
        ['position', entry.position === null ? null : String(entry.position)],
        [entry.landing ? 'landing of' : 'task', entry.task],
        ['convoy', entry.convoy],
        ['into', `${entry.repo}:${entry.target}`],
        ['head', entry.head],
        ['base', entry.base],
        ['waits', duration(entry.waiting_s * 1000)],
        ['unresolved', ageWords(entry) === '' ? null : ageWords(entry)],
        ['gate runs', runs.length === 0 ? null : runs.join('\n')],
        ['conflict in', conflict === null ? null : conflict.paths.join('\n')],
        ['onto', conflict?.onto ?? failure?.onto ?? null],
        ['merged', merged === null ? null : `${merged.commit} (${merged.proof})`],
      ],
      view.columns,
      palette.grey,
    ),
    ...(failure === null ? [] : ['', ...facts([['', failure.log]], view.columns)]),
  ];
}
