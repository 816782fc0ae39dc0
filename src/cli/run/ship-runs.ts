import { listRuns } from '../../contract/routes/ship.ts';
import type { Run } from '../command.ts';
import type { runs } from '../commands/ship.ts';
import { allPages } from './pages.ts';
import { some } from './task-fields.ts';

export const run: Run<typeof runs> = async (context) => {
  const { options, call } = context;
  const rows = await allPages(options.limit, async (page) => {
    const query = { ...page, status: some(options.status), plan: options.plan };
    const answer = await call(listRuns, { query });
    return { rows: answer.runs, next: answer.next };
  });
  return {
    json: { runs: rows },
    text: async () => (await import('../render/run-view.ts')).runTable(rows, context),
  };
};
