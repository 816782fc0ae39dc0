import { verifyLedger } from '../../contract/routes/system.ts';
import type { Run } from '../command.ts';
import type { ledgerVerify } from '../commands/system.ts';
import { cleanLine } from '../render/clean.ts';

export const run: Run<typeof ledgerVerify> = async ({ call }) => {
  const answer = await call(verifyLedger, {});
  const { events, subjects, problems } = answer;
  return {
    json: answer,
    exit: answer.ok ? 0 : 1,
    text: () => [
      `${events} events about ${subjects} subjects: ${answer.ok ? 'all in order' : `${problems.length} problems`}`,
      ...problems.map(({ kind, seq, subject, message }) =>
        cleanLine(`  ${kind}${seq === null ? '' : ` at ${seq}`}  ${subject}: ${message}`),
      ),
    ],
  };
};
