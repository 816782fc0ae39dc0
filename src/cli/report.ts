import type { Problem } from '../contract/problem.ts';
import { cleanLine, clean } from './render/clean.ts';

/** A problem as people read it: what happened, why, what to do next. */
export function problemLines(problem: Problem): string[] {
  return [
    `error: ${cleanLine(problem.message)}`,
    ...(problem.fields ?? []).map(
      ({ path, message }) => `  ${cleanLine(path)}: ${cleanLine(message)}`,
    ),
    ...labelled('cause', problem.cause),
    ...labelled('remedy', problem.remedy),
  ];
}

function labelled(label: string, text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  const [first = '', ...rest] = clean(text).split('\n');
  const indent = ' '.repeat(label.length + 4);
  return [`  ${label}: ${first}`, ...rest.map((line) => indent + line)];
}
