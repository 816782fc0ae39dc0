import { makePlan } from '../../contract/routes/ship.ts';
import type { OutputOf } from '../../contract/route.ts';
import type { PlanJson } from '../../contract/schemas/ship.ts';
import { refused, type Run } from '../command.ts';
import type { plan } from '../commands/ship.ts';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';
import { openPage } from './ship-open.ts';
import { ensureWorkspace, hasWorkspace, targetOf } from './ship-workspace.ts';

type Made = Pick<OutputOf<typeof makePlan>, 'plan' | 'dashboard'>;

export const run: Run<typeof plan> = async (context) => {
  const { args, options, cwd } = context;
  if (options.open && !options.save)
    return refused({
      kind: 'invalid',
      code: 'open_needs_save',
      message: 'Only a plan that is kept can be shown in the dashboard.',
      remedy: 'Add --save.',
    });
  const { kind, target } = targetOf(args.target, cwd);
  const asked = {
    target,
    platform: options.platform,
    parts: [...options.workspace],
    fly_app: options.flyApp,
    ai: options.ai,
  };
  const made =
    options.save || kind === 'address' || hasWorkspace(context)
      ? await planHere(context, { ...asked, save: options.save })
      : { plan: await planNowhere(context, target), dashboard: null };
  sayWording(context, made.plan);
  if (options.open) await openPage(context, made.plan.id);
  return {
    json: { plan: made.plan, saved: options.save, dashboard: made.dashboard },
    text: async () => {
      const { planPage } = await import('../render/plan-view.ts');
      const page = planPage(made.plan, context, {
        next: options.save ? 'apply' : 'save',
        files: false,
      });
      return [...page, ...(made.dashboard === null ? [] : [`Dashboard: ${made.dashboard}`])];
    },
  };
};

/** Says why a model that was at hand did not word the plan. */
export function sayWording({ err }: Pick<CommandContext, 'err'>, { wording }: PlanJson): void {
  if (wording.because !== null) err(`The plan's words are Convoy's own: ${wording.because}.`);
}

type PlanBody = {
  readonly target: string;
  readonly platform: PlanJson['options']['platform'] | undefined;
  readonly save: boolean;
  readonly demo?: boolean;
  readonly parts: string[];
  readonly fly_app: string | undefined;
  readonly ai: boolean | undefined;
};

/** A plan that a workspace knows of, which is made when there is none. */
export async function planHere(
  context: Pick<CommandContext, 'call' | 'dir' | 'env' | 'host' | 'err'>,
  body: PlanBody,
): Promise<Made> {
  await ensureWorkspace(context);
  const platform = body.platform ?? undefined;
  return context.call(makePlan, { body: { ...body, platform } });
}

async function planNowhere(
  { host, env, options }: CommandContext<typeof plan>,
  target: string,
): Promise<PlanJson> {
  const drafted = await host.ship.plan({
    env,
    target,
    platform: options.platform ?? null,
    parts: options.workspace,
    flyApp: options.flyApp,
    ai: options.ai,
  });
  if (!drafted.ok) throw new Stop(drafted.error);
  return drafted.value;
}
