import { ledgerInfo as infoRoute } from '../../contract/routes/system.ts';
import type { Run } from '../command.ts';
import type { ledgerInfo } from '../commands/system.ts';

export const run: Run<typeof ledgerInfo> = async ({ call, columns }) => {
  const answer = await call(infoRoute, {});
  return {
    json: answer,
    text: async () => {
      const { facts } = await import('../render/facts.ts');
      const list = [
        ['engine', answer.engine],
        ['location', answer.location],
        ['migration', answer.migration],
        ['events', `${answer.events}, the last is ${answer.seq}`],
        ['hash', answer.hash],
        ['tasks', String(answer.tasks)],
        ['convoys', String(answer.convoys)],
      ] as const;
      return facts(list, columns);
    },
  };
};
