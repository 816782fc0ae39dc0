import { exportBeads } from '../../contract/routes/interchange.ts';
import type { Run } from '../command.ts';
import type { exportFile } from '../commands/interchange.ts';

export const run: Run<typeof exportFile> = async ({ call, out }) => {
  const { jsonl } = await call(exportBeads, {});
  if (jsonl !== '') out(jsonl.replace(/\n$/, ''));
  return { streamed: true };
};
