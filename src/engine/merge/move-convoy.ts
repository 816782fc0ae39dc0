import type { Convoy } from '../../domain/convoy/convoy.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import type { ConvoyCommand } from '../../domain/convoy/events.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { err, ok } from '../../lib/result.ts';
import { ENGINE, type World } from '../world.ts';

/** Records a move that was decided from the state it was read in; whoever moved it meanwhile wins. */
export async function moveConvoy(
  world: World,
  convoy: Convoy,
  command: ConvoyCommand,
): Promise<void> {
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(convoyAggregate, convoy.id);
    if (stored?.state.status !== convoy.status) return err('moved on');
    const decision = decideConvoy(stored.state, command);
    if (!decision.ok || decision.value.length === 0) return err('nothing to do');
    await tx.record(convoyAggregate, convoy.id, decision.value);
    return ok(null);
  });
}
