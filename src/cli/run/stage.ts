import { stageConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { stage } from '../commands/convoys.ts';

export const run: Run<typeof stage> = async (context) => {
  const { args, options, call } = context;
  const report = await call(stageConvoy, {
    body: {
      targets: [...args.targets],
      title: options.title,
      launch: options.launch,
      force: options.force,
      create_branches: options.createBranches,
      infer_blocks: options.inferBlocks,
      max_depth: options.maxDepth,
    },
  });
  return {
    json: report,
    text: async () => (await import('../render/stage-view.ts')).stagePage(report, context),
    exit: report.status === 'error' ? 1 : 0,
  };
};
