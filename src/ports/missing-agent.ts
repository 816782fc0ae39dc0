import type { Machine } from './machine.ts';
import type { Settings } from './settings.ts';

/** Why an agent cannot be started, or null when it can. */
export type AgentCheck = (agent: string) => string | null;

/** Says whether an agent's command is there to be run; asks the machine once per agent. */
export function agentCheck(settings: Settings, machine: Machine): AgentCheck {
  const known = new Map<string, string | null>();
  return (name) => {
    const asked = known.get(name);
    if (asked !== undefined) return asked;
    const answer = missing(settings, machine, name);
    known.set(name, answer);
    return answer;
  };
}

function missing(settings: Settings, machine: Machine, name: string): string | null {
  const agent = settings.agents[name];
  if (agent === undefined) return `no [agents.${name}] in config.toml`;
  // A scripted agent runs inside Convoy's own Node; its script is read when it starts.
  if (agent.adapter === 'scripted') return null;
  const command = agent.command?.[0] ?? agent.preset;
  if (command === null || command === undefined) return 'no command is configured';
  return machine.which(command) === null ? `the command ${command} is not found` : null;
}
