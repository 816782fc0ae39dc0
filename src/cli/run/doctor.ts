import { doctor as doctorRoute } from '../../contract/routes/system.ts';
import type { Run } from '../command.ts';
import type { doctor } from '../commands/system.ts';

export const run: Run<typeof doctor> = async ({ call, color, columns }) => {
  const answer = await call(doctorRoute, {});
  return {
    json: answer,
    exit: answer.ok ? 0 : 1,
    text: async () => {
      const { facts } = await import('../render/facts.ts');
      const { paletteFor } = await import('../render/paint.ts');
      const { status } = await import('../render/status.ts');
      const palette = paletteFor(color);
      return answer.checks.flatMap((check) => {
        const { text, paint } = status('check', check.status, palette);
        const says = check.fix === null ? check.message : `${check.message}\nfix: ${check.fix}`;
        return facts([[text, `${check.name}: ${says}`]], columns, paint);
      });
    },
  };
};
