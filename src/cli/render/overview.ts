import type { OutputOf } from '../../contract/route.ts';
import type { overview } from '../../contract/routes/system.ts';
import { convoyTable } from './convoy-view.ts';
import { cleanLine } from './clean.ts';
import { paletteFor } from './paint.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { truncate } from './width.ts';

type Overview = OutputOf<typeof overview>;

/** The first line answers: does anything wait for me, does anything run. */
export function overviewPage(seen: Overview, view: View): string[] {
  const { bold, amber, grey } = paletteFor(view.color);
  const running = seen.running.map(({ task, worker, title }) => [task, worker ?? '', title]);
  const columns = [{ title: 'TASK', min: 8 }, { title: 'WORKER', max: 24 }, { title: 'TITLE' }];
  return [
    bold(headline(seen)),
    ...block(
      'Needs you',
      seen.needs_me.map(({ id, message }) =>
        amber(truncate(`  ◆ ${cleanLine(id)}  ${cleanLine(message)}`, view.columns)),
      ),
    ),
    ...block('Convoys', seen.convoys.length === 0 ? [] : convoyTable(seen.convoys, view)),
    ...block('Running', running.length === 0 ? [] : table(columns, running, view.columns, grey)),
    ...(seen.dashboard === null ? [] : ['', `Dashboard: ${cleanLine(seen.dashboard)}`]),
  ];
}

const block = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines];

function headline(seen: Overview): string {
  const needs = seen.needs_me.length;
  return [
    needs === 0
      ? 'Nothing waits for you'
      : `${needs} ${needs === 1 ? 'thing waits' : 'things wait'} for you`,
    `${seen.running.length} running`,
    `${seen.convoys.length} ${seen.convoys.length === 1 ? 'convoy' : 'convoys'} under way`,
  ].join('; ');
}
