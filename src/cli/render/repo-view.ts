import type { OutputOf } from '../../contract/route.ts';
import type { RepoJson, showRepo } from '../../contract/routes/repos.ts';
import { cleanLine } from './clean.ts';
import { facts } from './facts.ts';
import { paletteFor } from './paint.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';

export const repoLine = (repo: RepoJson): string =>
  cleanLine(
    `${repo.name}  ${repo.path ?? repo.url ?? ''}${repo.parked === null ? '' : '  parked'}`,
  );

export function repoTable(repos: readonly RepoJson[], view: View): string[] {
  const palette = paletteFor(view.color);
  const rows = repos.map(({ name, prefix, target, tasks, parked, path, url }) => [
    name,
    prefix,
    target ?? '',
    `${tasks.open}`,
    `${tasks.running}`,
    `${tasks.done}`,
    parked === null ? (path ?? url ?? '') : { text: `◆ parked: ${parked}`, paint: palette.amber },
  ]);
  const columns = [
    { title: 'NAME', min: 6 },
    { title: 'PREFIX' },
    { title: 'TARGET' },
    { title: 'OPEN', align: 'right' as const },
    { title: 'RUNNING', align: 'right' as const },
    { title: 'DONE', align: 'right' as const },
    { title: 'WHERE', min: 8 },
  ];
  return table(columns, rows, view.columns, palette.grey);
}

export function repoPage(
  { repo, running, queue }: OutputOf<typeof showRepo>,
  view: View,
): string[] {
  const palette = paletteFor(view.color);
  const gates = repo.gates.map(({ name, run }) => `${name}: ${run.join(' ')}`);
  const columns = [
    { title: 'TASK', min: 8 },
    { title: 'CONVOY' },
    { title: 'WORKER' },
    { title: 'TITLE' },
  ];
  const rows = running.map(({ task, convoy, worker, title }) => [
    task,
    convoy ?? '',
    worker ?? '',
    title,
  ]);
  return [
    ...facts(
      [
        ['name', repo.name],
        ['where', repo.path ?? repo.url],
        ['parked', repo.parked === null ? null : { text: repo.parked, paint: palette.amber }],
        ['prefix', repo.prefix],
        ['target', repo.target],
        ['agent', repo.agent],
        ['merge mode', `${repo.merge_mode}, ${repo.strategy}, ${repo.delivery}`],
        ['review', repo.review],
        ['gates', gates.length === 0 ? 'none: work here stays unverified' : gates.join('\n')],
        [
          'tasks',
          `${repo.tasks.open} open, ${repo.tasks.running} running, ${repo.tasks.submitted} submitted, ${repo.tasks.done} done`,
        ],
        ['queue', `${queue.length} waiting`],
      ],
      view.columns,
      palette.grey,
    ),
    ...(rows.length === 0 ? [] : ['', ...table(columns, rows, view.columns, palette.grey)]),
  ];
}
