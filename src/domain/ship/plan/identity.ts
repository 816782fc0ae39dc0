import { canonical } from './canonical.ts';
import type { Plan, PlanBody } from './plan.ts';

/** SHA-256 of a text in lower-case hex. */
export type Digest = (text: string) => string;

const SHORTEST_ID = 5;
const LONGEST_ID = 12;
const HEX_FOR_ID = 24;

/** Gives a body its name and its seal. */
export function asPlan(body: PlanBody, digest: Digest, createdAt: string): Plan {
  const hash = planHash(body, digest);
  return { id: planIds(hash)[0] ?? '', hash, created_at: createdAt, ...body };
}

/** Over what the plan does: not its name, its time, or how it is worded. */
export function planHash(plan: PlanBody & Partial<Plan>, digest: Digest): string {
  const {
    id: _id,
    hash: _hash,
    created_at: _at,
    summary: _summary,
    narrative: _narrative,
    wording: _wording,
    ...body
  } = plan;
  return digest(canonical(body));
}

/** Names a plan of this hash may have, the shortest first; a longer one only when that is taken. */
export function planIds(hash: string): readonly string[] {
  const word = BigInt(`0x${hash.slice(0, HEX_FOR_ID)}`)
    .toString(36)
    .padStart(LONGEST_ID, '0');
  return Array.from(
    { length: LONGEST_ID - SHORTEST_ID + 1 },
    (_, more) => `plan-${word.slice(0, SHORTEST_ID + more)}`,
  );
}
