import type { Agent, Assignment, Capabilities } from '../../../ports/agent.ts';
import { err, ok } from '../../../lib/result.ts';
import { agentEnvironment } from '../agent-environment.ts';
import { contractVariables, promptFileOf } from '../contract-variables.ts';
import { judge } from '../judge.ts';
import { outputParser } from '../output-parser.ts';
import { NOT_OFFERED, type Offered } from '../mcp-offer.ts';
import { type Preset, type PresetName, PRESETS } from '../presets/presets.ts';
import { filled } from './fill.ts';

export type CommandSettings = {
  readonly name: string;
  /** Argv with placeholders; may be left out where a preset has one. */
  readonly command?: readonly string[];
  readonly preset?: PresetName;
  /** How to start Convoy's MCP server; offered where a preset says how. */
  readonly mcp?: readonly [string, ...string[]];
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
      const { known, offered } = offerTo(settings, assignment);
      const env = agentEnvironment({
        ...assignment.environment,
        own: preset?.own ?? [],
        fixed: { ...preset?.fixed, ...offered.env },
        convoy: contractVariables(assignment),
      });
      const line =
        settings.command ?? known?.command(env, assignment.session ?? null, offered.args) ?? [];
      const [program, ...rest] = line.map((argument) => filled(argument, assignment));
      if (program === undefined || program === '')
        return err({
          code: 'no-command',
          message: `agent ${settings.name} has neither a command nor a preset`,
        });
      return ok({
        argv: [program, ...rest] as const,
        cwd: assignment.worktree,
        env,
        // Long prompts do not fit into an argument, so presets read them from their input.
        ...(known !== null ? { stdin: assignment.prompt } : {}),
        files: [{ path: promptFileOf(assignment), content: assignment.prompt }, ...offered.files],
      });
    },
    parser: () => outputParser(preset?.read ?? null),
    judge: (end, transcript) => judge(end, transcript, { tellsCompletion: preset !== null }),
  };
}

/** A command line of one's own is run as it was written; nothing is added to it. */
function offerTo(
  { command, preset, mcp }: CommandSettings,
  { directory, environment }: Assignment,
): { known: Preset | null; offered: Offered } {
  const known = command !== undefined || preset === undefined ? null : PRESETS[preset];
  if (known === null || mcp === undefined) return { known, offered: NOT_OFFERED };
  return { known, offered: known.offer({ command: mcp, directory }, environment.base) };
}
