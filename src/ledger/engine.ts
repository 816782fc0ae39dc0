/** Which database holds the ledger. */
export type LedgerEngine = 'sqlite' | 'postgres';
