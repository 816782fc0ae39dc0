import { REVIEWER_TOOLS } from './reviewer-tools.ts';
import type { Tool } from './tool.ts';
import { WORKER_TOOLS } from './worker-tools.ts';

/** Every tool there is, role by role. */
export const ALL_TOOLS: readonly Tool[] = [...WORKER_TOOLS, ...REVIEWER_TOOLS];

/** The tools of a role. A token sees its own and learns of no other. */
export const toolsOf = (role: string, tools: readonly Tool[] = ALL_TOOLS): readonly Tool[] =>
  tools.filter(({ roles }) => roles.some((each) => each === role));
