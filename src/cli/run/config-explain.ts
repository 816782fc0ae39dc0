import { getConfig } from '../../contract/routes/system.ts';
import type { Run } from '../command.ts';
import type { configExplain } from '../commands/system.ts';
import { valuesUnder } from './config-values.ts';

export const run: Run<typeof configExplain> = async ({ args, call, columns, color }) => {
  const answer = await call(getConfig, {});
  const values = args.key === undefined ? answer.values : valuesUnder(answer.values, args.key);
  return {
    json: { path: answer.path, values },
    text: async () => {
      const { table } = await import('../render/table.ts');
      const { paletteFor } = await import('../render/paint.ts');
      const rows = values.map(({ key, value, source, where }) => [
        key,
        JSON.stringify(value) ?? '',
        source,
        where,
      ]);
      const titles = [
        { title: 'KEY', min: 12 },
        { title: 'VALUE' },
        { title: 'FROM' },
        { title: 'WHERE' },
      ];
      return table(titles, rows, columns, paletteFor(color).grey);
    },
  };
};
