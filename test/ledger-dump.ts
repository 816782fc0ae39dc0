import { sql } from 'kysely';
import { openLedger } from '../src/ledger/open.ts';

/** Every row of every table, as text; on either engine. */
export async function ledgerDump(place: string): Promise<string> {
  const ledger = await openLedger(place, Date.now);
  try {
    const tables = await ledger.db.introspection.getTables();
    const dumps = tables.map(async ({ name }) => {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(ledger.db);
      return `${name}\n${rows.map((row) => JSON.stringify(row)).join('\n')}`;
    });
    return (await Promise.all(dumps)).join('\n\n');
  } finally {
    await ledger.close();
  }
}
