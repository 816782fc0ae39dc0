/** The database behind the ledger cannot be reached; nothing is known of a commit that was under way. */
export class LedgerUnreachable extends Error {
  constructor(message: string, cause: Error) {
    super(message, { cause });
    this.name = 'LedgerUnreachable';
  }
}
