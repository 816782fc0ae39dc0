import * as fc from 'fast-check';
import { type Action, story } from './actions.ts';
import { brokenIn } from './run-story.ts';

export type SeedOutcome = {
  readonly seed: number;
  readonly actions: number;
  readonly broken: readonly string[];
  /** Told only of a seed that broke something. */
  readonly story?: readonly Action[];
};

/** The story of a seed, played: the same seed gives the same story and the same end. */
export async function playSeed(seed: number): Promise<SeedOutcome> {
  const [actions = []] = fc.sample(story, { seed, numRuns: 1 });
  const broken = await brokenIn(seed, actions);
  const told = { seed, actions: actions.length, broken };
  return broken.length === 0 ? told : { ...told, story: actions };
}
