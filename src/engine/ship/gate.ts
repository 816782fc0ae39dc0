import type { Approval, ApprovalKind } from '../../domain/approval/approval.ts';
import { canonical } from '../../domain/ship/plan/canonical.ts';
import { awaitDecision, decideOn, requestApproval } from '../../ledger/approvals.ts';
import { changeRun } from '../../ledger/runs.ts';
import { ok } from '../../lib/result.ts';
import { RunTaken } from './journal.ts';
import type { Facts, Standing, Voyage } from './voyage.ts';
import { SHIP_ENGINE } from './world.ts';

export type GateWish = {
  readonly kind: ApprovalKind;
  readonly lane: string | null;
  readonly summary: string;
  /** Exactly what is approved; the yes is bound to it. */
  readonly details: Facts;
};

/** Asks for a yes and goes on only with one; null means that it was given. */
export async function passGate(voyage: Voyage, wish: GateWish): Promise<Standing | null> {
  const { world, journal, options, signal, wait } = voyage;
  const asked = await ask(voyage, wish);
  if (asked.status === 'approved') return null;
  if (asked.status === 'pending' && options.autoApprove) await approveByItself(voyage, asked.id);
  else if (asked.status === 'pending' && !wait) return { kind: 'waiting' };
  const decided = await awaitDecision(world.ledger, asked.id, signal);
  if (signal.aborted)
    return {
      kind: 'rest',
      status: 'interrupted',
      reason: `Stopped while ${asked.id} was waiting.`,
    };
  if (decided?.status === 'approved') {
    await journal.write({ type: 'go-on' });
    return null;
  }
  return decided === null ? gone(asked.id) : refusedBy(decided);
}

const gone = (id: string): Standing => ({
  kind: 'rest',
  status: 'paused',
  reason: `The approval ${id} is gone.`,
});

function refusedBy({ id, kind, decision, voided }: Approval): Standing {
  if (decision?.verdict !== 'reject')
    return {
      kind: 'rest',
      status: 'paused',
      reason: `${id} no longer counts: ${voided?.reason ?? 'it was withdrawn'}.`,
    };
  const why = decision.reason === null ? '' : `: ${decision.reason}`;
  return {
    kind: 'end',
    status: 'rejected',
    reason: `${kind} was rejected by ${decision.actor}${why}`,
  };
}

/** The request and the waiting are written together, so that nobody sees one without the other. */
async function ask({ world, journal }: Voyage, wish: GateWish): Promise<Approval> {
  const asked = await world.ledger.write(SHIP_ENGINE, async (tx) => {
    const approval = await requestApproval(tx, world.ids, {
      kind: wish.kind,
      subject: journal.id,
      lane: wish.lane,
      subjectHash: world.digest(canonical({ kind: wish.kind, details: wish.details })),
      summary: wish.summary,
      details: wish.details,
    });
    if (approval.status === 'approved') return ok(approval);
    const waiting = { approval: approval.id, kind: approval.kind, lane: approval.lane };
    const changed = await changeRun(tx, journal.id, {
      type: 'await-approval',
      waiting,
      summary: wish.summary,
    });
    return changed.ok ? ok(approval) : changed;
  });
  if (!asked.ok) throw new RunTaken(`${journal.id} is ${asked.error.status}`);
  return asked.value;
}

async function approveByItself({ world }: Voyage, id: string): Promise<void> {
  await world.ledger.write(SHIP_ENGINE, (tx) =>
    decideOn(tx, id, { verdict: 'approve', channel: 'auto', reason: null, subjectHash: null }),
  );
}
