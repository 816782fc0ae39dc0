import { refused, type Run } from '../command.ts';
import type { down } from '../commands/system.ts';

export const run: Run<typeof down> = async ({ host, dir, env }) => {
  const ended = await host.stop({ dir, env });
  if (!ended.ok) return refused(ended.error);
  const { stopped } = ended.value;
  return {
    json: { stopped },
    text: () => (stopped === null ? 'Nothing was running.' : `Stopped (pid ${stopped}).`),
  };
};
