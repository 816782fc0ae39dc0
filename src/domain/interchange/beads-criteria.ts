import type { Criterion } from '../work/task.ts';

/**
 * Reads acceptance criteria that another tool keeps as one text.
 *
 * A text in which every paragraph is a list item is a list; any other text is one criterion.
 */
export function readCriteria(text: string): Criterion[] {
  if (text.trim() === '') return [];
  const found: { text: string; done: boolean }[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const item = ITEM.exec(line);
    const last = found.at(-1);
    if (item) found.push({ text: (item[2] ?? '').trim(), done: item[1]?.toLowerCase() === 'x' });
    else if (last && INDENTED.test(line)) last.text += `\n${line.trim()}`;
    else return [{ text: text.trim(), done: false }];
  }
  return found.filter((criterion) => criterion.text !== '');
}

const ITEM = /^[-*+] +(?:\[([ xX])\] )?(.*)$/;
const INDENTED = /^\s\s/;

export const writeCriteria = (criteria: readonly Criterion[]): string =>
  criteria
    .map(({ text, done }) => `- [${done ? 'x' : ' '}] ${text.replaceAll('\n', '\n  ')}`)
    .join('\n');
