import { basename } from 'node:path';
import { draftTasks, draftTasksWithModel } from '../../contract/routes/interchange.ts';
import type { Run } from '../command.ts';
import type { draft } from '../commands/interchange.ts';
import { cleanLine } from '../render/clean.ts';
import { readInput } from './read-input.ts';

export const run: Run<typeof draft> = async (context) => {
  const { args, options, call, err } = context;
  const text = await readInput(context, args.file);
  const name = args.file === '-' ? 'Draft' : basename(args.file).replace(/\.[^.]*$/, '');
  const answer = await call(options.ai ? draftTasksWithModel : draftTasks, {
    body: { text, name, repo: options.repo, dry_run: options.dryRun },
  });
  for (const { line, message } of answer.warnings) err(cleanLine(`line ${line}: ${message}`));
  return {
    json: answer,
    text: () => [
      ...inTreeOrder(answer.tasks).map(({ id, key, title, type, depends_on }) => {
        const depth = key === 'root' ? 0 : key.split('.').length;
        const after = depends_on.length === 0 ? '' : `  after ${depends_on.join(', ')}`;
        return cleanLine(
          `${'  '.repeat(depth)}${id}  ${type === 'epic' ? '▸ ' : ''}${title}${after}`,
        );
      }),
      answer.root === null ? 'Nothing was written.' : answer.root,
    ],
  };
};

/** Children under their parents: `2.10` comes after `2.9`. */
function inTreeOrder<T extends { readonly key: string }>(tasks: readonly T[]): T[] {
  return tasks.toSorted((a, b) => {
    const [left, right] = [places(a.key), places(b.key)];
    const differs = left.findIndex((place, at) => place !== right[at]);
    return differs === -1
      ? left.length - right.length
      : (left[differs] ?? 0) - (right[differs] ?? -1);
  });
}

const places = (key: string): number[] => (key === 'root' ? [] : key.split('.').map(Number));
