import { join } from 'node:path';
import type { Launch } from '../../ports/agent.ts';
import { isJson } from './json.ts';

/** How to start our MCP server, and where an attempt's papers are. */
export type McpServer = {
  readonly command: readonly [string, ...string[]];
  readonly directory: string;
};

export type Offered = {
  /** More of the command line. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: Launch['files'];
};

export type Offer = (
  server: McpServer,
  env: Readonly<Record<string, string | undefined>>,
) => Offered;

/** The name agents know our server by; it is part of the names of its tools. */
export const MCP_NAME = 'convoy';
/** Agents that pass their own environment on leave out what looks like a secret, unless it is named. */
export const MCP_VARIABLES = ['CONVOY_URL', 'CONVOY_TOKEN'] as const;

export const NOT_OFFERED: Offered = { args: [], env: {}, files: [] };

/** Only our server: those of the person who runs the engine are not part of an attempt. */
export const forClaude: Offer = ({ command, directory }) => {
  const path = join(directory, 'mcp.json');
  // Otherwise the model would have to search for them before it could call them.
  const server = { ...entry(command, '${}'), alwaysLoad: true };
  return {
    // Its tools follow the last `--allowedTools`.
    args: [`mcp__${MCP_NAME}`, '--mcp-config', path, '--strict-mcp-config'],
    env: {},
    files: [{ path, content: JSON.stringify({ mcpServers: { [MCP_NAME]: server } }) }],
  };
};

export const forCodex: Offer = ({ command: [program, ...args] }) => ({
  args: [
    '-c',
    // JSON texts and lists of texts are also TOML. Variables are named here, their values are not.
    `mcp_servers.${MCP_NAME}={command=${JSON.stringify(program)},args=${JSON.stringify(args)},` +
      `env_vars=${JSON.stringify(MCP_VARIABLES)},default_tools_approval_mode="approve"}`,
  ],
  env: {},
  files: [],
});

/** It has no option for it; a file of defaults is merged with what its user has set. */
export const forGemini: Offer = ({ command, directory }) => {
  const path = join(directory, 'gemini-defaults.json');
  const server = { ...entry(command, '$'), trust: true };
  return {
    args: [],
    env: { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: path },
    files: [{ path, content: JSON.stringify({ mcpServers: { [MCP_NAME]: server } }) }],
  };
};

/** Added to what the person has set in the same way; what cannot be read stays as it is. */
export const forOpencode: Offer = ({ command }, env) => {
  const given = parsed(env['OPENCODE_CONFIG_CONTENT']);
  if (given === null) return NOT_OFFERED;
  const mcp = isJson(given['mcp']) ? given['mcp'] : {};
  const server = { type: 'local', command, enabled: true };
  const content = { ...given, mcp: { ...mcp, [MCP_NAME]: server } };
  return { args: [], env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(content) }, files: [] };
};

function parsed(text: string | undefined): Record<string, unknown> | null {
  if (text === undefined || text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

/** The common form of a server; the values of variables are looked up by the agent. */
function entry([command, ...args]: McpServer['command'], form: '$' | '${}'): object {
  const variable = (name: string): string => (form === '$' ? `$${name}` : `\${${name}}`);
  const env = Object.fromEntries(MCP_VARIABLES.map((name) => [name, variable(name)]));
  return { command, args, env };
}
