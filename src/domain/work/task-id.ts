import { DEEPEST_CHILD } from './task.ts';
import { type TaskId, taskId } from './ids.ts';

const SHORTEST = 3;
const LONGEST = 8;
const ALPHABET = 36;
/** How likely any two ids of a population may meet before we write one character more. */
const MOST_LIKELY_CLASH = 0.25;

/** How many random characters keep clashes rare among that many ids (birthday bound). */
export function idLength(population: number): number {
  for (let length = SHORTEST; length < LONGEST; length++)
    if (population ** 2 / (2 * ALPHABET ** length) <= MOST_LIKELY_CLASH) return length;
  return LONGEST;
}

/** `web-a3f` → `web-a3f.2`; null when that would be deeper than ids go. */
export function childId(parent: TaskId, number: number): TaskId | null {
  const depth = parent.split('.').length - 1;
  return depth >= DEEPEST_CHILD ? null : taskId(`${parent}.${number}`);
}
