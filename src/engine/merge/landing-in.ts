import type { Repository } from '../../ports/repository.ts';

/**
 * The commit by which work is on a target, whatever the strategy was; null while git shows none. A
 * forge may name one, and git has to agree.
 */
export async function landingIn(
  { facts, merges }: Repository,
  head: string,
  named: string | null,
  target: string,
): Promise<string | null> {
  if (named !== null) {
    const inside = await facts.isAncestor(named, target);
    const whole = inside.ok && inside.value ? await merges.alreadyContained(head, named) : null;
    if (whole?.ok === true && whole.value) return named;
  }
  // Named wrongly or not at all: the target itself has to hold everything.
  const contained = await merges.alreadyContained(head, target);
  return contained.ok && contained.value ? target : null;
}
