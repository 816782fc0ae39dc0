import { type Assignment } from '../../../ports/agent.ts';
import { promptFileOf } from '../contract-variables.ts';

const PLACEHOLDER = /\{(prompt_file|worktree|task_id|title)\}/g;

/**
 * Puts an assignment's facts into a command line. One pass, argument by argument: a title that looks
 * like a placeholder or like two arguments stays one piece of text.
 */
export function filled(argument: string, assignment: Assignment): string {
  const values: Readonly<Record<string, string>> = {
    prompt_file: promptFileOf(assignment),
    worktree: assignment.worktree,
    task_id: assignment.task.id,
    title: assignment.task.title.replaceAll('\0', ''),
  };
  return argument.replaceAll(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}
