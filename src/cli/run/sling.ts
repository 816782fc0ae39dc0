import { slingTasks } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { sling } from '../commands/convoys.ts';
import { cleanLine } from '../render/clean.ts';
import { launched, waiting } from './launch.ts';

export const run: Run<typeof sling> = async (context) => {
  const { args, options, call, err } = context;
  const start = async (): Promise<string> => {
    const answer = await call(slingTasks, {
      body: {
        targets: [...args.targets],
        agent: options.agent,
        merge_mode: options.mergeMode,
        max_parallel: options.maxParallel,
        force: options.force,
      },
    });
    for (const warning of answer.warnings) err(cleanLine(`warning: ${warning}`));
    return answer.convoy_id;
  };
  return options.wait ? waiting(context, start) : launched(context, await start());
};
