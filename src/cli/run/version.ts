import type { Run } from '../command.ts';
import type { version } from '../commands/shell.ts';

export const run: Run<typeof version> = async (context) => ({
  json: { version: context.version, node: process.versions.node },
  text: () => `convoy ${context.version}`,
});
