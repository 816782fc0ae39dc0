import { basename } from 'node:path';
import { draftTasks } from '../../contract/routes/interchange.ts';
import type { Run } from '../command.ts';
import type { draft } from '../commands/interchange.ts';
import { cleanLine } from '../render/clean.ts';
import { readInput } from './read-input.ts';

export const run: Run<typeof draft> = async (context) => {
  const { args, options, call, err } = context;
  const text = await readInput(context, args.file);
  const name = args.file === '-' ? 'Draft' : basename(args.file).replace(/\.[^.]*$/, '');
  const answer = await call(draftTasks, {
    body: { text, name, repo: options.repo, dry_run: options.dryRun },
  });
  for (const { line, message } of answer.warnings) err(cleanLine(`line ${line}: ${message}`));
  return {
    json: answer,
    text: () => [
      ...answer.tasks.map(({ id, key, title, type, depends_on }) => {
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
