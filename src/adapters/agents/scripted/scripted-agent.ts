import { join } from 'node:path';
import { err, ok } from '../../../lib/result.ts';
import type { Agent } from '../../../ports/agent.ts';
import { agentEnvironment } from '../agent-environment.ts';
import { contractVariables, promptFileOf } from '../contract-variables.ts';
import { judge } from '../judge.ts';
import { outputParser } from '../output-parser.ts';
import { RUNNER_SOURCE } from './runner-source.ts';
import type { Script } from './script.ts';
import { readScriptedLine } from './scripted-lines.ts';
import { stepsFor } from './select.ts';

export type ScriptedSettings = {
  readonly name: string;
  readonly script: Script;
  /** The Node that plays it. */
  readonly node: string;
  /** How to say `convoy done` from inside an attempt; argv. */
  readonly done: readonly [string, ...string[]];
};

/** An agent that does what a file says, as a real process. */
export function scriptedAgent({ name, script, node, done }: ScriptedSettings): Agent {
  return {
    name,
    adapter: 'scripted',
    capabilities: { stream: true, permissions: false, resume: false, cost: true },
    prepare(assignment) {
      const env = agentEnvironment({
        ...assignment.environment,
        own: [],
        fixed: {},
        convoy: contractVariables(assignment),
      });
      const steps = stepsFor(script, assignment, env);
      if (steps === null)
        return err({
          code: 'no-script',
          message: `the script of agent ${name} has nothing for task ${assignment.task.id} (${assignment.role}, attempt ${assignment.number})`,
        });
      if (steps.some((step) => step.do === 'verdict') && assignment.review === undefined)
        return err({ code: 'no-review', message: 'a verdict can only be given in a review' });
      const runner = join(assignment.directory, 'runner.cjs');
      const stepsFile = join(assignment.directory, 'steps.json');
      return ok({
        argv: [node, runner, stepsFile] as const,
        cwd: assignment.worktree,
        env,
        files: [
          { path: promptFileOf(assignment), content: assignment.prompt },
          { path: runner, content: RUNNER_SOURCE },
          { path: stepsFile, content: JSON.stringify({ steps, done }) },
        ],
      });
    },
    parser: () => outputParser(readScriptedLine),
    judge: (end, transcript) => judge(end, transcript, { tellsCompletion: true }),
  };
}
