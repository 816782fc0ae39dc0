/** The database behind the ledger cannot be reached; nothing is known of a commit that was under way. */
export class LedgerUnreachable extends Error {
  /** Its address, without secrets. */
  readonly place: string;
  readonly why: string;

  constructor(place: string, why: string, cause: Error) {
    super(`The ledger at ${place} does not answer: ${why}`, { cause });
    this.name = 'LedgerUnreachable';
    this.place = place;
    this.why = why;
  }
}
