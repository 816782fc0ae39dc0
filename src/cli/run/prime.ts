import { prime as primeRoute } from '../../contract/routes/worker.ts';
import type { Run } from '../command.ts';
import type { prime } from '../commands/worker.ts';
import { clean, cleanLine } from '../render/clean.ts';

export const run: Run<typeof prime> = async ({ call }) => {
  const answer = await call(primeRoute, {});
  const { task, worktree, branch, number, role, earlier } = answer;
  return {
    json: answer,
    text: () => [
      cleanLine(`${task.id}  ${task.title}  (${role}, attempt ${number})`),
      cleanLine(`in ${worktree ?? '?'} on ${branch}`),
      ...(task.description === '' ? [] : ['', clean(task.description)]),
      ...task.acceptance.map(({ text, done }) => cleanLine(`- [${done ? 'x' : ' '}] ${text}`)),
      ...earlier.map((other) =>
        cleanLine(`attempt ${other.number}: ${other.reason ?? other.status}`),
      ),
    ],
  };
};
