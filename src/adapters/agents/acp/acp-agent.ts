import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { err, ok } from '../../../lib/result.ts';
import type { Agent, AttemptEnd, Transcript } from '../../../ports/agent.ts';
import type { Ended } from '../../../ports/executor.ts';
import { agentEnvironment } from '../agent-environment.ts';
import { filled } from '../command/fill.ts';
import { contractVariables, promptFileOf } from '../contract-variables.ts';
import { judge } from '../judge.ts';
import { outputParser } from '../output-parser.ts';
import { type PresetName, PRESETS } from '../presets/presets.ts';
import { acpLines } from './acp-lines.ts';
import { ACP_COMMANDS } from './acp-presets.ts';
import type { AcpJob } from './job.ts';
import type { Permissions } from './permission.ts';

export type AcpSettings = {
  readonly name: string;
  /** Argv with placeholders; may be left out where a preset has one. */
  readonly command?: readonly string[];
  readonly preset?: PresetName;
  readonly permissions: Permissions;
  /** The Node that runs our side of the conversation. */
  readonly node: string;
  readonly helloMs?: number;
  /** How to start Convoy's MCP server; offered with every session. */
  readonly mcp?: readonly [string, ...string[]];
};

const HELLO_MS = 120_000;

/**
 * An agent that speaks the Agent Client Protocol. What the executor starts is a runner of ours, which
 * starts the agent and converses with it; so the conversation outlives the engine, and its log, parser
 * and judge are those of any other attempt.
 */
export function acpAgent(settings: AcpSettings): Agent {
  const { name, preset, permissions, node, helloMs = HELLO_MS } = settings;
  const known = preset === undefined ? null : PRESETS[preset];
  const line = settings.command ?? (preset === undefined ? [] : ACP_COMMANDS[preset]);
  return {
    name,
    adapter: 'acp',
    capabilities: { stream: true, permissions: true, resume: true, cost: true },
    prepare(assignment) {
      const [program, ...rest] = line.map((argument) => filled(argument, assignment));
      if (program === undefined || program === '')
        return err({
          code: 'no-command',
          message: `agent ${name} has neither a command nor a preset`,
        });
      const job: AcpJob = {
        command: [program, ...rest],
        promptFile: promptFileOf(assignment),
        worktree: assignment.worktree,
        permissions,
        session: assignment.session ?? null,
        helloMs,
        mcp: settings.mcp ?? null,
      };
      const jobFile = join(assignment.directory, 'acp.json');
      return ok({
        argv: [node, RUNNER, jobFile] as const,
        cwd: assignment.worktree,
        env: agentEnvironment({
          ...assignment.environment,
          own: known?.own ?? [],
          fixed: known?.fixed ?? {},
          convoy: contractVariables(assignment),
        }),
        files: [
          { path: promptFileOf(assignment), content: assignment.prompt },
          { path: jobFile, content: JSON.stringify(job) },
        ],
      });
    },
    parser: () => outputParser(acpLines()),
    judge: judgeConversation,
  };
}

/** Beside this code: a source next to a source, a bundle of its own next to the bundle. */
const RUNNER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? 'runner.ts' : 'acp-runner.js', import.meta.url),
);

/** The runner always starts; whether the agent did is told in its log. */
function judgeConversation(end: Ended, transcript: Transcript): AttemptEnd {
  const { lastError } = transcript;
  const judged = judge(end, transcript, { tellsCompletion: true });
  return judged.kind === 'failed' && lastError?.code === 'not-started'
    ? { ...judged, reason: 'not-started', message: lastError.message }
    : judged;
}
