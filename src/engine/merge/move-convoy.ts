import { type Convoy, hasEnded } from '../../domain/convoy/convoy.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import type { ConvoyCommand } from '../../domain/convoy/events.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { err, ok } from '../../lib/result.ts';
import { ENGINE, type World } from '../world.ts';

/** Records a move that still fits; a convoy that ended meanwhile stays as it is. */
export async function moveConvoy(
  world: World,
  convoy: Convoy,
  command: ConvoyCommand,
): Promise<void> {
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(convoyAggregate, convoy.id);
    if (stored === null || hasEnded(stored.state.status)) return err('ended');
    // The engine ends stalls; a pause that came meanwhile is a person's and stays.
    if (command.type === 'resume' && stored.state.status !== 'stalled') return err('not stalled');
    const decision = decideConvoy(stored.state, command);
    if (!decision.ok || decision.value.length === 0) return err('nothing to do');
    await tx.record(convoyAggregate, convoy.id, decision.value);
    return ok(null);
  });
}
