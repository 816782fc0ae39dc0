import type { PoolClient, QueryResult } from 'pg';
import { statementName } from '../prepared.ts';

/** One connection as Kysely uses it. */
export type Wire = {
  query(text: string, values: readonly unknown[]): Promise<QueryResult>;
  release(): void;
};

/**
 * Talks to the server in as few round trips as a command allows. `begin` travels with the first
 * statement. A hot statement that gives nothing back travels with the next one that does, at the
 * latest the commit: a command that reads and writes one row costs two round trips instead of five.
 * The server takes statements in order and turns the commit of a failed transaction into a
 * rollback, so what a write did wrong is told later, never lost.
 */
export function wireOf(client: PoolClient): Wire {
  const { stream } = client.connection;
  let behind: Promise<QueryResult>[] = [];
  let beginning = false;
  let corked = false;

  const send = (text: string, values: readonly unknown[]): Promise<QueryResult> => {
    const name = statementName(text);
    return name === undefined
      ? client.query(text, [...values])
      : client.query({ name, text, values: [...values] });
  };
  const holdBack = (text: string, values: readonly unknown[]): void => {
    if (!corked) stream.cork();
    corked = true;
    const sent = send(text, values);
    sent.catch(() => {});
    behind.push(sent);
  };
  const flush = async (text: string, values: readonly unknown[]): Promise<QueryResult> => {
    const answer = send(text, values);
    answer.catch(() => {});
    const before = behind;
    behind = [];
    if (corked) stream.uncork();
    corked = false;
    // In order: the first that fails says why, those after it only that something did.
    for (const earlier of before) await earlier;
    return answer;
  };

  return {
    async query(text, values) {
      if (text === 'begin') {
        beginning = true;
        return NOTHING;
      }
      if (beginning) {
        beginning = false;
        if (text === 'commit' || text === 'rollback') return NOTHING;
        holdBack('begin', []);
      }
      if (!givesNothing(text)) return flush(text, values);
      holdBack(text, values);
      return NOTHING;
    },
    release() {
      beginning = false;
      client.release(behind.length > 0);
    },
  };
}

const NOTHING: QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

/** Only hot statements: nobody asks them how many rows they changed. */
const givesNothing = (text: string): boolean =>
  statementName(text) !== undefined && /^(insert|update|delete) (?!.* returning )/s.test(text);
