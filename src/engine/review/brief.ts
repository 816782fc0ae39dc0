import type { ReviewSubject } from '../../domain/review/prompt.ts';
import type { Task } from '../../domain/work/task.ts';

/** What a reviewer is told the work is for. */
export type ReviewBrief = Pick<ReviewSubject, 'title' | 'tasks'>;

export const briefOf = (
  title: string,
  tasks: readonly Pick<Task, 'id' | 'title' | 'acceptance'>[],
): ReviewBrief => ({
  title,
  tasks: tasks.map((task) => ({
    id: task.id,
    title: task.title,
    acceptance: task.acceptance.map(({ text }) => text),
  })),
});

export const briefInWords = ({ tasks }: ReviewBrief): string =>
  tasks
    .flatMap(({ id, title, acceptance }) => [
      `${id}: ${title}`,
      ...acceptance.map((text) => `  must hold: ${text}`),
    ])
    .join('\n');
