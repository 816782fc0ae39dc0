import type { ConvoyJson } from '../../contract/schemas/convoy.ts';
import type { Shown } from '../command.ts';
import type { CommandContext } from '../context.ts';

/** A convoy after a change to it, in a line, with what else there is to say under it. */
export function convoyOutcome(
  view: Pick<CommandContext, 'color' | 'columns'>,
  answer: { convoy: ConvoyJson },
  notes: readonly string[] = [],
): Shown {
  return {
    json: answer,
    text: async () => {
      const { convoyLine } = await import('../render/convoy-view.ts');
      const { cleanLine } = await import('../render/clean.ts');
      return [convoyLine(answer.convoy, view), ...notes.map(cleanLine)];
    },
  };
}
