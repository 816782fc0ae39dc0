import { makePlan } from '../../contract/routes/ship.ts';
import type { PlanJson } from '../../contract/schemas/ship.ts';
import type { Run } from '../command.ts';
import type { plan } from '../commands/ship.ts';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';
import { ensureWorkspace, hasWorkspace, targetOf } from './ship-workspace.ts';

export const run: Run<typeof plan> = async (context) => {
  const { args, options, cwd } = context;
  const { kind, target } = targetOf(args.target, cwd);
  const answer =
    options.save || kind === 'address' || hasWorkspace(context)
      ? await planHere(context, { target, platform: options.platform, save: options.save })
      : await planNowhere(context, target);
  return {
    json: { plan: answer, saved: options.save },
    text: async () => {
      const { planPage } = await import('../render/plan-view.ts');
      return planPage(answer, context, { saved: options.save, files: false });
    },
  };
};

/** A plan that a workspace knows of, which is made when there is none. */
export async function planHere(
  context: Pick<CommandContext, 'call' | 'dir' | 'env' | 'host' | 'err'>,
  body: {
    readonly target: string;
    readonly platform: PlanJson['options']['platform'] | undefined;
    readonly save: boolean;
    readonly demo?: boolean;
  },
): Promise<PlanJson> {
  await ensureWorkspace(context);
  const platform = body.platform ?? undefined;
  return (await context.call(makePlan, { body: { ...body, platform } })).plan;
}

async function planNowhere(
  { host, env, options }: CommandContext<typeof plan>,
  target: string,
): Promise<PlanJson> {
  const drafted = await host.ship.plan({ env, target, platform: options.platform ?? null });
  if (!drafted.ok) throw new Stop(drafted.error);
  return drafted.value;
}
