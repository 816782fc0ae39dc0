import type { Convoy } from '../../domain/convoy/convoy.ts';
import type { Change } from '../../domain/merge/change.ts';
import type { Task } from '../../domain/work/task.ts';
import type { World } from '../world.ts';
import { addFollowUp, type FollowUp } from './follow-up.ts';

/** Whose landing came back: a sub-epic's, or with no epic the convoy's. */
export type Left = {
  readonly world: World;
  readonly convoy: Convoy;
  readonly name: string;
  readonly landings: readonly Change[];
  readonly epic: Task | null;
  readonly title: string;
};

const MOST_ROUNDS = 3;
const LONGEST_LOG = 12_000;

/** A landing that came back asks for work; says why a person is needed when work has not helped. */
export async function answerLeft(left: Left, last: Change): Promise<string | null> {
  const { world, convoy, name, landings, epic, title } = left;
  const stuck = (reason: string): string => `${reason}; convoy land ${convoy.id} tries again`;
  if (last.status === 'withdrawn')
    return stuck(`the landing in ${name} was taken back: ${last.reason}`);
  if (last.status !== 'conflicted' && last.status !== 'red') return null;
  const rounds = landings.filter(
    ({ status }) => status === 'conflicted' || status === 'red',
  ).length;
  const { what, ...wish } = workFor(last, convoy, title);
  if (rounds > MOST_ROUNDS)
    return stuck(`the landing in ${name} came back ${rounds} times: ${what}`);
  const made = await addFollowUp(world, convoy, {
    answers: last.id,
    repo: name,
    parent: epic?.id ?? null,
    ...wish,
  });
  // Its task is done and the branch has not moved: nothing will change by itself.
  return made === null ? stuck(`the landing in ${name} is ${last.status}: ${what}`) : null;
}

type Failed = Extract<Change, { status: 'conflicted' | 'red' }>;

function workFor(
  last: Failed,
  { id }: Convoy,
  title: string,
): Pick<FollowUp, 'kind' | 'title' | 'description'> & { what: string } {
  if (last.status === 'conflicted') {
    const what = `it conflicts with ${last.target} in ${last.conflict.paths.join(', ') || 'some files'}`;
    return {
      what,
      kind: 'landing_conflict',
      title: `Resolve the landing conflict of ${title}`,
      description: `The work of ${id} does not merge into ${last.target}: ${what}.`,
    };
  }
  const what = `gate ${last.failure.gate} failed`;
  const log = last.failure.log.slice(-LONGEST_LOG);
  return {
    what,
    kind: 'landing_red',
    title: `Mend the landing of ${title}`,
    description: `On ${last.target} with the work of ${id} on top, ${what}:\n\n${log}`,
  };
}
