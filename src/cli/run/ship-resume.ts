import { cancelRun, resumeRun, showRun } from '../../contract/routes/ship.ts';
import type { Outcome } from '../command.ts';
import type { cancel, resume, status } from '../commands/convoys.ts';
import type { CommandContext } from '../context.ts';
import { feedPosition, followRun } from './ship-follow.ts';
import { openPage } from './ship-open.ts';
import { runOptionsOf } from './ship-options.ts';

/** Whether a word on the command line means a run. */
export const isRun = (id: string | undefined): boolean => id === undefined || id.startsWith('run-');

/** Goes on with a run from its journal. */
export async function resumeShip(context: CommandContext<typeof resume>): Promise<Outcome> {
  const { args, options, call, cwd, interactive, err } = context;
  const body = { options: runOptionsOf(options, cwd), fresh: options.fresh };
  const after = await feedPosition(context);
  const answer = await call(resumeRun, { params: { id: args.id ?? 'latest' }, body });
  const { status: was, reason } = answer.before;
  err(`${answer.run.id} was ${was}${reason === null ? '' : `: ${reason}`}`);
  if (options.open) await openPage(context, answer.run.id);
  return followRun(context, answer.run, { after, wait: options.wait || interactive });
}

export async function cancelShip(context: CommandContext<typeof cancel>): Promise<Outcome> {
  const { args, options, call } = context;
  const body = { reason: options.reason };
  const answer = await call(cancelRun, { params: { id: args.id }, body });
  return {
    json: answer,
    text: async () => (await import('../render/run-view.ts')).runPage(answer.run, context),
  };
}

export async function statusOfRun(
  context: CommandContext<typeof status>,
  id: string,
): Promise<Outcome> {
  const answer = await context.call(showRun, { params: { id } });
  return {
    json: answer,
    text: async () => (await import('../render/run-view.ts')).runPage(answer.run, context),
  };
}
