import type { Change } from '../../domain/merge/change.ts';
import { decideChange } from '../../domain/merge/decide-change.ts';
import type { ChangeCommand } from '../../domain/merge/change.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { err, ok } from '../../lib/result.ts';
import type { Forge } from '../../ports/forge.ts';
import { ENGINE, type World } from '../world.ts';
import type { Place } from './queue-run.ts';

/** What a queue remembers of its pull requests; a new engine looks at each of them at once. */
export type PullMemory = {
  forge: Forge | null;
  readonly looks: Map<ChangeId, PullLook>;
  /** Counts news of the forge; a look that began before the last of them is not fresh. */
  news: number;
};

export type PullLook = {
  /** When the forge is asked next, by the monotonic clock. */
  readonly dueAt: number;
  readonly waitMs: number;
  readonly ready: boolean;
  /** The target's head for which it is known to merge without conflict. */
  readonly mergesInto: string | null;
  /** What was said in Convoy when it was last looked at. */
  readonly own: string;
};

export const noPulls = (): PullMemory => ({ forge: null, looks: new Map(), news: 0 });

/** What goes into a branch of Convoy's own is merged here; only other targets get pull requests. */
export const byPulls = ({ target, settings }: Pick<Place, 'target' | 'settings'>): boolean =>
  settings.delivery === 'pull-request' && !target.startsWith('convoy/');

/** Whether this very head of the change stands on the forge. */
export const isProposed = ({ pull, head }: Change): boolean =>
  pull !== undefined &&
  pull.number !== null &&
  pull.head === head &&
  pull.state !== 'intended' &&
  !pull.again;

const LONGEST_LOOK_MS = 600_000;

export const firstWaitMs = (world: World): number => {
  const settings = world.settings.read();
  return settings.ok ? settings.value.github.pollMs : 60_000;
};

/** Nothing happened: the next look may wait longer, up to ten minutes. */
export const longerWait = (waitMs: number): number =>
  Math.max(waitMs, Math.min(LONGEST_LOOK_MS, Math.round(waitMs * 1.5)));

/** Records commands about one change, all or none; false when it has moved on. */
export async function tell(
  world: World,
  id: ChangeId,
  ...commands: readonly WithoutTime[]
): Promise<boolean> {
  const told = await world.ledger.write(ENGINE, async (tx) => {
    for (const command of commands) {
      const stored = await tx.load(changeAggregate, id);
      const decision = decideChange(stored?.state ?? null, { ...command, at: tx.at });
      if (!decision.ok) return err('moved on');
      if (decision.value.length > 0) await tx.record(changeAggregate, id, decision.value);
    }
    return ok(null);
  });
  return told.ok;
}

type Timed = Exclude<ChangeCommand, { type: 'move' | 'enqueue' }>;
type Untimed<C> = C extends unknown ? Omit<C, 'at'> : never;
type WithoutTime = Untimed<Timed>;
