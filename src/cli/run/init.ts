import type { Run } from '../command.ts';
import { refused } from '../command.ts';
import type { init } from '../commands/repos.ts';
import { cleanLine } from '../render/clean.ts';

export const run: Run<typeof init> = async ({ host, dir, env, options }) => {
  const { name, prefix, target } = options;
  const made = await host.init({ dir, env, name, prefix, target });
  if (!made.ok) return refused(made.error);
  const { workspace, created, repo, inside } = made.value;
  return {
    json: { workspace, created, repo, inside },
    text: () => [
      cleanLine(created ? `Workspace made in ${workspace}` : `${workspace} is a workspace already`),
      ...(repo === null
        ? []
        : [cleanLine(`repo ${repo.name}, ids begin with ${repo.prefix}-, target ${repo.target}`)]),
      ...(created && repo === null
        ? ['No git repository here: convoy repo add <path> registers one.']
        : []),
      ...(inside === null ? [] : [cleanLine(`Here it takes the place of the workspace ${inside}`)]),
      ...(created ? ['Next: convoy task create "…", then convoy stage <ids>'] : []),
    ],
  };
};
