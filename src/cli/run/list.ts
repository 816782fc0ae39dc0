import { listConvoys, showConvoy } from '../../contract/routes/convoys.ts';
import type { ConvoyJson, ConvoyRowJson } from '../../contract/schemas/convoy.ts';
import type { Run } from '../command.ts';
import type { list } from '../commands/convoys.ts';
import { allPages } from './pages.ts';
import { some } from './task-fields.ts';

export const run: Run<typeof list> = async (context) => {
  const { options, call } = context;
  const filters = {
    all: options.all ? ('true' as const) : undefined,
    status: some(options.status),
    label: some(options.label),
  };
  const rows = await allPages<ConvoyRowJson>(options.limit, async (page) => {
    const answer = await call(listConvoys, { query: { ...filters, ...page } });
    return { rows: answer.convoys, next: answer.next };
  });
  if (rows.length === 0) {
    const isAll = options.all || filters.status !== undefined;
    return {
      json: { convoys: [] },
      text: () =>
        isAll
          ? "No convoy. 'convoy create' makes one."
          : "No convoy under way. 'convoy list --all' shows those that ended, 'convoy create' makes one.",
    };
  }
  if (!options.tree) {
    return {
      json: { convoys: rows },
      text: async () => (await import('../render/convoy-view.ts')).convoyTable(rows, context),
    };
  }
  const convoys: ConvoyJson[] = [];
  for (const { id } of rows) convoys.push((await call(showConvoy, { params: { id } })).convoy);
  return {
    json: { convoys },
    text: async () => (await import('../render/convoy-view.ts')).convoyTree(convoys, context),
  };
};
