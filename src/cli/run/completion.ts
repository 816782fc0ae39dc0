import type { Run } from '../command.ts';
import type { completion } from '../commands/shell.ts';
import { completionScript } from '../completion.ts';

export const run: Run<typeof completion> = async ({ args, commands }) => {
  const script = completionScript(args.shell, commands);
  return { json: { shell: args.shell, script }, text: () => script.trimEnd() };
};
