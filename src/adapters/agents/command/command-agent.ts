import type { Agent, Capabilities } from '../../../ports/agent.ts';
import { err, ok } from '../../../lib/result.ts';
import { agentEnvironment } from '../agent-environment.ts';
import { contractVariables, promptFileOf } from '../contract-variables.ts';
import { judge } from '../judge.ts';
import { outputParser } from '../output-parser.ts';
import { type Preset, type PresetName, PRESETS } from '../presets/presets.ts';
import { filled } from './fill.ts';

export type CommandSettings = {
  readonly name: string;
  /** Argv with placeholders; may be left out where a preset has one. */
  readonly command?: readonly string[];
  readonly preset?: PresetName;
};

const PLAIN: Capabilities = { stream: false, permissions: false, resume: false, cost: false };

/** Any command line as an agent; with a preset its output is understood. */
export function commandAgent(settings: CommandSettings): Agent {
  const preset = settings.preset === undefined ? null : PRESETS[settings.preset];
  return {
    name: settings.name,
    adapter: 'command',
    capabilities: preset?.capabilities ?? PLAIN,
    prepare(assignment) {
      const env = agentEnvironment({
        ...assignment.environment,
        own: preset?.own ?? [],
        fixed: preset?.fixed ?? {},
        convoy: contractVariables(assignment),
      });
      const line = settings.command ?? commandOf(preset, env, assignment.session);
      const [program, ...rest] = line.map((argument) => filled(argument, assignment));
      if (program === undefined || program === '')
        return err({
          code: 'no-command',
          message: `agent ${settings.name} has neither a command nor a preset`,
        });
      const takesInput = settings.command === undefined && preset !== null;
      return ok({
        argv: [program, ...rest] as const,
        cwd: assignment.worktree,
        env,
        // Long prompts do not fit into an argument, so presets read them from their input.
        ...(takesInput ? { stdin: assignment.prompt } : {}),
        files: [{ path: promptFileOf(assignment), content: assignment.prompt }],
      });
    },
    parser: () => outputParser(preset?.read ?? null),
    judge: (end, transcript) => judge(end, transcript, { tellsCompletion: preset !== null }),
  };
}

const commandOf = (
  preset: Preset | null,
  env: Readonly<Record<string, string>>,
  session: string | undefined,
): readonly string[] => preset?.command(env, session ?? null) ?? [];
