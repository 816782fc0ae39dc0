import { getConfig } from '../../contract/routes/system.ts';
import type { Run } from '../command.ts';
import type { configPath } from '../commands/system.ts';
import { cleanLine } from '../render/clean.ts';

export const run: Run<typeof configPath> = async ({ call }) => {
  const { path } = await call(getConfig, {});
  return { json: { path }, text: () => cleanLine(path) };
};
