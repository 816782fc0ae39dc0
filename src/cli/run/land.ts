import { landConvoy, previewLanding } from '../../contract/routes/queue.ts';
import { type Outcome, refused, type Run } from '../command.ts';
import type { land } from '../commands/queue.ts';
import type { CommandContext } from '../context.ts';
import { cleanLine } from '../render/clean.ts';

export const run: Run<typeof land> = async (context) => {
  const { args, options, call, host, dir, env } = context;
  const params = { id: args.id };
  if (options.dryRun) return preview(context, args.id);
  const body = options.keepWorktrees ? { keep_worktrees: true } : {};
  const answer = await call(landConvoy, { params, body });
  const name = answer.epic ?? answer.convoy_id;
  if (!answer.landed) {
    const up = await host.detach({ dir, env, port: null });
    if (!up.ok) return refused(up.error);
  }
  return {
    json: answer,
    text: () =>
      answer.landed
        ? `${name} has landed already.`
        : `${name} is on its way. Follow it: convoy status ${answer.convoy_id} -f`,
  };
};

async function preview(context: Pick<CommandContext, 'call'>, id: string): Promise<Outcome> {
  const answer = await context.call(previewLanding, { params: { id } });
  const isFine =
    answer.open.length === 0 && answer.landings.every(({ state }) => state !== 'conflicted');
  return {
    json: { ...answer, dry_run: true },
    text: () =>
      [
        ...(answer.open.length === 0 ? [] : [`Not done: ${answer.open.join(', ')}`]),
        ...answer.landings.map(
          ({ repo, target, state, conflicts }) =>
            `${repo}: ${WORDS[state]} ${target}${conflicts.length === 0 ? '' : ` in ${conflicts.join(', ')}`}`,
        ),
        ...answer.worktrees.map(({ attempt, path }) => `${attempt} holds ${path}`),
      ].map(cleanLine),
    exit: isFine ? 0 : 1,
  };
}

const WORDS = {
  clean: 'merges into',
  conflicted: 'conflicts with',
  contained: 'is already in',
  no_branch: 'has no integration branch to land in',
} as const;
