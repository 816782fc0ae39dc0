import { join } from 'node:path';
import { refused, type Run } from '../command.ts';
import type { rehearse } from '../commands/ship.ts';
import { envFileOf, variablesOf } from './ship-options.ts';
import { ensureWorkspace, targetOf, workspaceDir } from './ship-workspace.ts';

export const run: Run<typeof rehearse> = async (context) => {
  const { args, options, env, host, cwd, signal, json, quiet, out, color } = context;
  const { kind, target } = targetOf(args.target, cwd);
  const variables = variablesOf(options.env);
  const envFile = envFileOf(options.envFile, cwd);
  if (kind === 'address') await ensureWorkspace(context);
  const view = await import('../render/run-view.ts');
  const prefix = view.linePrefix(color);
  const done = await host.ship.rehearse({
    env,
    target,
    platform: null,
    parts: [],
    flyApp: undefined,
    ai: options.ai,
    lanes: options.lane,
    probePaths: options.probePath,
    variables,
    envFile,
    trustRepo: options.trustRepo,
    clonesDir: kind === 'address' ? join(workspaceDir(context), 'clones') : null,
    signal,
    note: (lane, text) => {
      if (!json && !quiet) out(prefix + view.noteLine(lane, 'rehearse', text, context));
    },
  });
  if (!done.ok) return refused(done.error);
  const { plan, lanes } = done.value;
  const passed = lanes.length > 0 && lanes.every(({ status }) => status === 'succeeded');
  const stopped = lanes.some(({ status }) => status === 'stopped');
  return {
    json: { rehearsal: { repo: plan.repo.name, path: plan.repo.path, ok: passed, lanes } },
    text: () => view.rehearsalPage(lanes, context),
    exit: stopped ? INTERRUPTED : passed ? 0 : 1,
  };
};

const INTERRUPTED = 130;
