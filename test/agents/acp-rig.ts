import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acpAgent, type AcpSettings } from '../../src/adapters/agents/acp/acp-agent.ts';
import type { Agent, Assignment } from '../../src/ports/agent.ts';
import type { FakePlan } from '../fakes/acp-agent/step.ts';
import type { AgentRig } from './rig.ts';

export const FAKE_AGENT = join(import.meta.dirname, '..', 'fakes', 'acp-agent', 'agent.ts');

/** The fake agent with a plan, as an agent of ours and an assignment for it. */
export async function fakeAcp(
  rig: AgentRig,
  plan: FakePlan,
  settings: Partial<AcpSettings> = {},
  more: Partial<Assignment> = {},
): Promise<{ agent: Agent; assignment: Assignment }> {
  const assignment = rig.assignment(more);
  await mkdir(assignment.directory, { recursive: true });
  const planFile = join(assignment.directory, 'plan.json');
  await writeFile(planFile, JSON.stringify(plan));
  const agent = acpAgent({
    name: 'fake',
    command: [process.execPath, FAKE_AGENT, planFile],
    permissions: 'worktree',
    node: process.execPath,
    ...settings,
  });
  return { agent, assignment };
}
