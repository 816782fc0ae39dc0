import type { Permissions } from './permission.ts';

/** What the runner is told: everything about its conversation except secrets, which are in its environment. */
export type AcpJob = {
  readonly command: readonly [string, ...string[]];
  readonly promptFile: string;
  readonly worktree: string;
  readonly permissions: Permissions;
  /** The session to continue, where the agent can. */
  readonly session: string | null;
  /** How long the agent may take to say hello and to open a session. */
  readonly helloMs: number;
  /** How to start Convoy's MCP server. */
  readonly mcp: readonly [string, ...string[]] | null;
};
