import type { Problem } from '../contract/problem.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { PlanProblem, PlanReadProblem, SourceProblem } from '../ports/plans.ts';

/** Why a repository cannot be planned, in words. */
export function sourceProblem(problem: SourceProblem): Problem {
  const { target } = problem;
  switch (problem.kind) {
    case 'not-found':
      return {
        kind: 'not_found',
        code: 'target_not_found',
        message: `There is nothing at ${target}.`,
        remedy: 'Name a directory, the address of a git repository, or owner/name.',
      };
    case 'not-a-directory':
      return {
        kind: 'invalid',
        code: 'target_not_a_directory',
        message: `${target} is not a directory.`,
        remedy: 'Name the directory of the repository.',
      };
    case 'no-place':
      return {
        kind: 'not_found',
        code: 'no_workspace',
        message: `${target} has to be cloned, and there is no workspace to clone it into.`,
        remedy: 'convoy init, then plan again.',
      };
    case 'remote-refused':
      return {
        kind: 'not_found',
        code: 'clone_failed',
        message: `${target} cannot be cloned.`,
        cause: problem.detail,
        remedy: 'Check the address, your access to it, and the network.',
      };
    case 'git-failed':
      return {
        kind: 'unavailable',
        code: 'git_failed',
        message: `Git cannot read ${target}.`,
        cause: problem.detail,
        remedy: 'git status there shows the same.',
      };
    default:
      return unreachable(problem);
  }
}

/** Why there is no plan, in words. */
export function draftProblem(problem: PlanProblem): Problem {
  switch (problem.kind) {
    case 'no-model':
      return {
        kind: 'refused',
        code: 'no_model',
        message: 'There is no key for a model that could word the plan.',
        remedy:
          'Set ANTHROPIC_API_KEY, or [model] and OPENAI_BASE_URL; without --ai no model is needed.',
      };
    case 'unknown-part':
      return {
        kind: 'not_found',
        code: 'lane_not_found',
        message: `There is no part ${problem.part} here.`,
        remedy:
          problem.lanes.length === 0
            ? 'There is no service.'
            : `It has ${problem.lanes.join(', ')}.`,
      };
    case 'bad-app-name':
      return {
        kind: 'invalid',
        code: 'bad_app_name',
        message: `${problem.name} cannot be the name of an application on Fly.io.`,
        remedy: 'Use lower-case letters, digits and dashes, at most 63.',
      };
    case 'no-fly-lane':
      return {
        kind: 'invalid',
        code: 'no_fly_lane',
        message: `--fly-app names an application on Fly.io, and nothing goes there (${problem.platforms.join(', ') || 'no service'}).`,
        remedy: 'Add --platform fly, or leave --fly-app out.',
      };
    case 'many-fly-lanes':
      return {
        kind: 'invalid',
        code: 'many_fly_lanes',
        message: `--fly-app names one application, and ${problem.lanes.join(', ')} go to Fly.io.`,
        remedy: 'Choose one with --workspace.',
      };
    default:
      return sourceProblem(problem);
  }
}

/** Why a plan cannot be used, in words. */
export function planProblem(problem: PlanReadProblem): Problem {
  switch (problem.kind) {
    case 'unknown-plan':
      return {
        kind: 'not_found',
        code: 'plan_not_found',
        message: `There is no plan ${problem.id}.`,
        remedy: 'convoy plans shows the saved ones; convoy plan <path> --save makes one.',
      };
    case 'ambiguous-plan':
      return {
        kind: 'conflict',
        code: 'ambiguous_id',
        message: `${problem.id} fits ${problem.ids.join(', ')}.`,
        remedy: 'Write more of the id.',
      };
    case 'edited-plan':
      return {
        kind: 'refused',
        code: 'plan_edited',
        message: `The plan ${problem.id} is not what was saved.`,
        cause: `${problem.file} was edited or is broken; its hash or seal does not fit.`,
        remedy: 'Make it again: convoy plan <path> --save. Options change a plan, edits do not.',
      };
    default:
      return unreachable(problem);
  }
}
