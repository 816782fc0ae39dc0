import type { AgentCheck } from '../ledger/surroundings.ts';
import type { AgentSettings, Settings } from '../ports/settings.ts';
import type { Machine } from '../ports/machine.ts';

/** Says once per agent whether its command is there to be run. */
export function agentCheck(settings: Settings, machine: Machine): AgentCheck {
  const known = new Map<string, string | null>();
  return (name) => {
    const asked = known.get(name);
    if (asked !== undefined) return asked;
    const agent = settings.agents[name];
    const answer =
      agent === undefined ? `no [agents.${name}] in config.toml` : missingCommand(agent, machine);
    known.set(name, answer);
    return answer;
  };
}

function missingCommand(agent: AgentSettings, machine: Machine): string | null {
  // A scripted agent runs inside Convoy's own Node; its script is read when it starts.
  if (agent.adapter === 'scripted') return null;
  const command = agent.command?.[0] ?? agent.preset;
  if (command === null || command === undefined) return 'no command is configured';
  return machine.which(command) === null ? `the command ${command} is not found` : null;
}
