import type { PresetName } from '../presets/presets.ts';

/** How the agents we know are told to speak ACP; two of them through an adapter of their own. */
export const ACP_COMMANDS: Readonly<Record<PresetName, readonly [string, ...string[]]>> = {
  claude: ['claude-agent-acp'],
  codex: ['codex-acp'],
  opencode: ['opencode', 'acp'],
  gemini: ['gemini', '--acp', '--skip-trust'],
};
