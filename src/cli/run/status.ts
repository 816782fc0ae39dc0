import { showConvoy } from '../../contract/routes/convoys.ts';
import { overview, resolveId } from '../../contract/routes/system.ts';
import { showTask } from '../../contract/routes/tasks.ts';
import { refused, type Outcome, type Run } from '../command.ts';
import type { status } from '../commands/convoys.ts';
import type { CommandContext } from '../context.ts';
import { waitForConvoy } from './wait-convoy.ts';

type Context = CommandContext<typeof status>;

export const run: Run<typeof status> = async (context) => {
  if (context.args.id === undefined) return await everything(context);
  const { id, kind } = await context.call(resolveId, { params: { id: context.args.id } });
  if (kind === 'convoy' && context.options.follow) return await waitForConvoy(context, id);
  if (kind === 'convoy') return await ofConvoy(context, id);
  if (kind === 'task') return await ofTask(context, id);
  return refused({
    kind: 'invalid',
    code: 'no_status',
    message: `${id} is a ${kind}, which has no status of its own`,
  });
};

async function everything(context: Context): Promise<Outcome> {
  const answer = await context.call(overview, {});
  return {
    json: answer,
    text: async () => (await import('../render/overview.ts')).overviewPage(answer, context),
  };
}

async function ofConvoy(context: Context, id: string): Promise<Outcome> {
  const answer = await context.call(showConvoy, { params: { id } });
  return {
    json: answer,
    text: async () => (await import('../render/convoy-view.ts')).convoyPage(answer.convoy, context),
  };
}

async function ofTask(context: Context, id: string): Promise<Outcome> {
  const answer = await context.call(showTask, { params: { id } });
  return {
    json: answer,
    text: async () => (await import('../render/task-view.ts')).taskPage(answer.task, context),
  };
}
