import type { Problem } from '../contract/problem.ts';

/** Ends a command early with a problem; only the CLI's edge throws and catches it. */
export class Stop extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}
