import { createRun } from '../../contract/routes/ship.ts';
import { refused, type Run } from '../command.ts';
import type { ship } from '../commands/ship.ts';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';
import { feedPosition, followRun } from './ship-follow.ts';
import { runOptionsOf } from './ship-options.ts';
import { openPage } from './ship-open.ts';
import { planHere, sayWording } from './ship-plan.ts';
import { ensureWorkspace, targetOf, workspaceDir } from './ship-workspace.ts';

export const run: Run<typeof ship> = async (context) => {
  const { options, call, cwd, interactive, json, quiet, out } = context;
  if (options.injectFailure !== undefined && !options.demo)
    return refused({
      kind: 'invalid',
      code: 'demo_only',
      message: 'A failure is injected into demos only.',
      remedy: 'Add --demo, which ships the example service.',
    });
  const runOptions = runOptionsOf(options, cwd);
  await ensureWorkspace(context);
  const { plan } = await planHere(context, {
    target: await shippedTarget(context),
    platform: options.platform,
    save: true,
    demo: options.demo,
    parts: [...options.workspace],
    fly_app: options.flyApp,
    ai: options.ai,
  });
  sayWording(context, plan);
  if (!json && !quiet) {
    const { planPage } = await import('../render/plan-view.ts');
    for (const line of planPage(plan, context, { next: null, files: false })) out(line);
  }
  const after = await feedPosition(context);
  const { run: opened } = await call(createRun, { body: { plan: plan.id, options: runOptions } });
  if (options.open) await openPage(context, opened.id);
  return followRun(context, opened, { after, wait: options.wait || interactive });
};

async function shippedTarget(context: CommandContext<typeof ship>): Promise<string> {
  const { args, options, host, env, cwd } = context;
  if (!options.demo) return targetOf(args.target ?? '.', cwd).target;
  if (args.target !== undefined)
    throw new Stop({
      kind: 'invalid',
      code: 'demo_has_its_own',
      message: 'A demo ships the example service, not a repository of yours.',
      remedy: 'Leave the target out, or leave --demo out.',
    });
  const made = await host.ship.demo({ dir: workspaceDir(context), env });
  if (!made.ok) throw new Stop(made.error);
  return made.value.path;
}
