import type { Attempt } from '../domain/work/attempt.ts';
import { attemptsOf } from '../ledger/queries/attempts.ts';
import type { Agent } from '../ports/agent.ts';
import type { RepoSettings } from '../ports/settings.ts';
import type { World } from './world.ts';

/**
 * The session of the attempt before, where its work is taken up too and the agent is the same. Only
 * for a conversation, which begins anew when the session is gone; a command would fail.
 */
export async function sessionToContinue(
  world: World,
  attempt: Attempt,
  agent: Agent,
  repo: RepoSettings,
): Promise<string | null> {
  const canGoOn = agent.adapter === 'acp' && agent.capabilities.resume;
  if (!canGoOn || repo.wip === 'restart' || attempt.role === 'resolver') return null;
  const earlier = await attemptsOf(world.ledger.db, attempt.task);
  const last = earlier.filter(({ id }) => id !== attempt.id).at(-1);
  return last?.agent === attempt.agent && last.role === attempt.role ? last.session : null;
}
