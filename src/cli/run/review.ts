import { listReviews, reviewAgain, showReviews } from '../../contract/routes/reviews.ts';
import { refused, type Run, type Shown } from '../command.ts';
import type { review } from '../commands/review.ts';
import type { ReviewJson } from '../../contract/routes/reviews.ts';
import type { CommandContext } from '../context.ts';

export const run: Run<typeof review> = async (context) => {
  const { args, options, call, host, dir, env } = context;
  if (args.subject === undefined) {
    if (options.again)
      return refused({
        kind: 'invalid',
        code: 'subject_missing',
        message: '--again needs to know which review.',
        remedy: 'convoy review lists them; then: convoy review <convoy> --again',
      });
    const answer = await call(listReviews, { query: options.all ? { all: 'true' } : {} });
    return shown(
      context,
      answer,
      'No review waits for a verdict. --all shows those that have one.',
    );
  }
  const params = { id: args.subject };
  const answer = await call(options.again ? reviewAgain : showReviews, { params, body: {} });
  if (options.again) {
    const up = await host.detach({ dir, env, port: null });
    if (!up.ok) return refused(up.error);
  }
  return shown(context, answer, `Nobody was asked to review ${args.subject}.`);
};

const shown = (
  context: Pick<CommandContext, 'color' | 'columns' | 'now'>,
  answer: { readonly reviews: readonly ReviewJson[] },
  none: string,
): Shown => ({
  json: answer,
  text: async () => {
    if (answer.reviews.length === 0) return none;
    const { reviewPage } = await import('../render/review-view.ts');
    return answer.reviews.flatMap((one, at) => [
      ...(at === 0 ? [] : ['']),
      ...reviewPage(one, context),
    ]);
  },
});
