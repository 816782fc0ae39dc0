import { createHash } from 'node:crypto';

/** What an event's hash is taken over: everything a reader sees, and the hash before it. */
export type Sealable = {
  readonly seq: number;
  readonly subject: string;
  readonly version: number;
  readonly kind: string;
  readonly data: string;
  readonly actor: string;
  readonly at: number;
};

/** The hash before the first event. */
export const GENESIS = '0'.repeat(64);

/** Chains an event to the one before it, so that no event can be changed or taken out unseen. */
export function hashEvent(previous: string, event: Sealable): string {
  const { seq, subject, version, kind, data, actor, at } = event;
  return createHash('sha256')
    .update(`${previous}\n${seq}\n${subject}\n${version}\n${kind}\n${actor}\n${at}\n${data}`)
    .digest('hex');
}
