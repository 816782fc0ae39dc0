import { stageConvoy } from '../../contract/routes/convoys.ts';
import type { StageReport } from '../../contract/schemas/stage.ts';
import { refused, type Run } from '../command.ts';
import type { stage } from '../commands/convoys.ts';
import { convoyFields } from './convoy-fields.ts';
import { startEngine } from './start-engine.ts';

/** A missing task and a task that is taken are told apart; everything else is a plain no. */
const EXITS: Readonly<Record<string, number>> = {
  missing_task: 3,
  ambiguous_id: 4,
  ambiguous_convoy: 4,
  already_launched: 4,
};

const exitOf = ({ status, errors }: StageReport): number =>
  status === 'error' ? (EXITS[errors[0]?.code ?? ''] ?? 1) : 0;

export const run: Run<typeof stage> = async (context) => {
  const { args, options, call } = context;
  const report = await call(stageConvoy, {
    body: {
      ...(await convoyFields(options, call)),
      targets: [...args.targets],
      title: options.title,
      launch: options.launch,
      force: options.force,
      create_branches: options.createBranches,
      infer_blocks: options.inferBlocks,
      max_depth: options.maxDepth,
    },
  });
  if (report.launched) {
    const up = await startEngine(context);
    if (!up.ok) return refused(up.error);
  }
  return {
    json: report,
    text: async () => (await import('../render/stage-view.ts')).stagePage(report, context),
    exit: exitOf(report),
  };
};
