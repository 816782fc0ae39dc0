import type { Problem } from '../contract/problem.ts';
import type { EdgeRefusal } from '../domain/graph/edge-rules.ts';
import { unreachable } from '../lib/unreachable.ts';

/** Why an edge was not written, in words. */
export function edgeProblem(task: string, refusal: EdgeRefusal): Problem {
  switch (refusal.reason) {
    case 'kind-empty':
    case 'kind-malformed':
    case 'kind-too-long':
    case 'kind-is-hierarchy':
    case 'level-not-allowed':
    case 'children-not-allowed':
      return badWords(task, refusal);
    case 'missing':
      return {
        kind: 'not_found',
        code: 'task_not_found',
        message: `There is no task ${refusal.id} in this workspace.`,
        remedy: 'convoy task list shows the ids there are.',
        ids: [refusal.id],
      };
    case 'duplicate':
      return {
        kind: 'conflict',
        code: 'dependency_exists',
        message: `${task} already depends on ${refusal.on} by ${refusal.kind}.`,
        remedy: `convoy task dep rm ${task} ${refusal.on} takes it away.`,
        ids: [task, refusal.on],
      };
    default:
      return impossibleOrder(task, refusal);
  }
}

type Words = Extract<
  EdgeRefusal,
  { reason: `kind-${string}` | 'level-not-allowed' | 'children-not-allowed' }
>;

function badWords(task: string, refusal: Words): Problem {
  const invalid = (code: string, message: string, remedy: string): Problem => ({
    kind: 'invalid',
    code,
    message,
    remedy,
    ids: [task],
  });
  switch (refusal.reason) {
    case 'kind-is-hierarchy':
      return invalid(
        'dependency_kind_invalid',
        'parent-child is not an edge.',
        `Set the parent instead: convoy task edit ${task} --parent <id>.`,
      );
    case 'level-not-allowed':
      return invalid(
        'level_not_allowed',
        `A ${refusal.kind} edge has no level.`,
        'Only blocks takes --level.',
      );
    case 'children-not-allowed':
      return invalid(
        'children_not_allowed',
        `A ${refusal.kind} edge does not count children.`,
        'Only waits-for takes --children.',
      );
    default:
      return invalid(
        'dependency_kind_invalid',
        'That is not a kind of dependency.',
        'Use blocks, conditional-blocks, waits-for, merge-blocks, or a word of lower-case letters, digits, - and _ up to 50 characters.',
      );
  }
}

type Order = Extract<
  EdgeRefusal,
  { reason: 'self' | 'ancestor-blocks' | 'descendant-blocks' | 'cycle' }
>;

function impossibleOrder(task: string, refusal: Order): Problem {
  switch (refusal.reason) {
    case 'self':
      return refused(
        'self_dependency',
        `${refusal.id} cannot depend on itself.`,
        'Name another task.',
        [refusal.id],
      );
    case 'ancestor-blocks':
      return refused(
        'parent_blocks_child',
        `${refusal.ancestor} contains ${refusal.descendant}, which therefore cannot wait for it: an epic is done only when its children are.`,
        'Let the task wait for one of its siblings instead.',
        [refusal.ancestor, refusal.descendant],
      );
    case 'descendant-blocks':
      return refused(
        'child_blocks_parent',
        `${refusal.ancestor} contains ${refusal.descendant}; waiting for it would make ${refusal.descendant} wait for itself.`,
        'An epic is done when its children are; it needs no edge for that.',
        [refusal.ancestor, refusal.descendant],
      );
    case 'cycle':
      return refused(
        'cycle',
        `That would be a cycle: ${[...refusal.path, ...refusal.path.slice(0, 1)].join(' → ')}. Each would wait for the next.`,
        `Take one of the edges away, for example convoy task dep rm ${refusal.path[1] ?? task} ${refusal.path[2] ?? task}.`,
        refusal.path,
      );
    default:
      return unreachable(refusal);
  }
}

function refused(code: string, message: string, remedy: string, ids: readonly string[]): Problem {
  return { kind: 'refused', code, message, remedy, ids };
}
