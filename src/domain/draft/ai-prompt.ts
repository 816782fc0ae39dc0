import { fence, fenceRule } from '../ship/medic/prompt-fence.ts';
import { DEEPEST_CHILD, DISPATCHABLE_TYPES, LONGEST_TITLE } from '../work/task.ts';
import type { DraftProblem } from './draft-plan.ts';

const MOST_TOLD = 20;

export function draftInstructions(mark: string): string {
  return [
    'You turn a document into a plan of work for coding agents that work side by side.',
    fenceRule(mark),
    [
      'Write the plan by calling write_plan once. In it:',
      '- title and description: what the whole is for, in a few sentences.',
      '- items: one flat list of tasks and the epics that group them. Use an epic only where three or more tasks belong together.',
      `- parent: the id of the epic an item belongs to, or null. At most ${DEEPEST_CHILD} levels.`,
      `- type: "epic" for a group; else one of ${DISPATCHABLE_TYPES.join(', ')}.`,
      '- A task is what one agent can finish, test and hand in by itself in a few hours, as a change that leaves the program working.',
      `- title: an order in a few words, at most ${LONGEST_TITLE} characters. description: all that an agent needs who has not read the document.`,
      '- acceptance: what must be true when it is done, each so that somebody can check it.',
      '- after: the ids of the items that must be merged first, only where the work really needs them. No circles. What does not wait can be done at the same time.',
      '- priority: 0 (first of all) to 4; 2 is usual.',
      '- line: the line of the document it comes from.',
    ].join('\n'),
    'Plan everything that the document asks for and nothing else. Where it is silent, choose the simplest thing and say so in the description.',
  ].join('\n\n');
}

/** The document with its lines numbered, so that problems can point at them. */
export function draftQuestion(text: string, name: string, mark: string): string {
  const numbered = text
    .split('\n')
    .map((line, index) => `${index + 1}: ${line}`)
    .join('\n');
  return `Make a plan of this document.\n\n${fence(name.replace(/\s+/g, ' ').slice(0, 100), numbered, mark)}`;
}

export function mendPlan(problems: readonly DraftProblem[]): string {
  const told = problems.slice(0, MOST_TOLD).map(({ message }) => `- ${message}`);
  return `The plan cannot be used yet:\n${told.join('\n')}\nCall write_plan once more with the whole plan, mended.`;
}
