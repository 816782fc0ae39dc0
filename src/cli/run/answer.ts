import { answer as route } from '../../contract/routes/approvals.ts';
import type { Run } from '../command.ts';
import type { answer } from '../commands/approvals.ts';
import { decisionOutcome } from './decision-outcome.ts';

export const run: Run<typeof answer> = async (context) => {
  const { args, options, call } = context;
  const body = { answer: args.text, subject_hash: options.hash, channel: 'cli' as const };
  return decisionOutcome(context, await call(route, { params: { id: args.approval }, body }));
};
