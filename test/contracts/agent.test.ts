import { describe } from 'vitest';
import { acpAgent } from '../../src/adapters/agents/acp/acp-agent.ts';
import { commandAgent } from '../../src/adapters/agents/command/command-agent.ts';
import { PRESET_NAMES } from '../../src/adapters/agents/presets/presets.ts';
import { scriptedAgent } from '../../src/adapters/agents/scripted/scripted-agent.ts';
import { agentContract } from './agent-contract.ts';

describe('a command agent', () => {
  agentContract(
    commandAgent({ name: 'mine', command: ['bash', 'agent.sh', '{title}', '--in={prompt_file}'] }),
  );
});

describe.each(PRESET_NAMES)('the preset %s', (preset) => {
  agentContract(commandAgent({ name: preset, preset }));
});

describe('a scripted agent', () => {
  agentContract(
    scriptedAgent({
      name: 'scripted',
      script: { scripts: [{ steps: [{ do: 'say', text: '{title}' }] }] },
      node: process.execPath,
      done: ['true'],
    }),
  );
});

describe.each([{ command: ['bash', 'agent.sh', '{title}'] }, { preset: 'gemini' as const }])(
  'an agent that speaks ACP (%o)',
  (how) => {
    agentContract(
      acpAgent({ name: 'acp', permissions: 'worktree', node: process.execPath, ...how }),
    );
  },
);
