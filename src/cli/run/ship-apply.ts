import { createRun } from '../../contract/routes/ship.ts';
import type { Run } from '../command.ts';
import type { apply } from '../commands/ship.ts';
import { feedPosition, followRun } from './ship-follow.ts';
import { openPage } from './ship-open.ts';
import { runOptionsOf } from './ship-options.ts';
import { ensureWorkspace } from './ship-workspace.ts';

export const run: Run<typeof apply> = async (context) => {
  const { args, options, call, cwd, interactive } = context;
  const body = { plan: args.plan, options: runOptionsOf(options, cwd) };
  await ensureWorkspace(context);
  const after = await feedPosition(context);
  const { run: opened } = await call(createRun, { body });
  if (options.open) await openPage(context, opened.id);
  return followRun(context, opened, { after, wait: options.wait || interactive });
};
