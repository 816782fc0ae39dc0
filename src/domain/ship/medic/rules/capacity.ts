import type { CaseFile, Hit } from '../case-file.ts';
import { traceAround } from '../case-file.ts';
import { changedLine, settingLine } from '../places.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';
import { fromWordings } from './wording.ts';

const POOL_SIZE =
  /(?:\bmax\b|maximum|connectionLimit|connection_limit|pool_?size|poolSize|max_?overflow|maxPoolSize|max_?connections|maximum-pool-size|\bpool)\w*['"]?\s*[:=(]/i;
const CHECKOUT =
  /(?:\.connect\(\)|getConnection\(|\.acquire\(|\.checkout\(|\.reserve\(|BeginTx\(|\.Begin\(|createQueryRunner\(|_session\(\)|Session(?:Local)?\(\)|\bsession\(\)|\.Query(?:Context)?\()/;
const RETURNED =
  /\.release\(|\.close\(\)|\.end\(\)|\bwith\b|\busing\b|finally|defer |\.Close\(\)|\.Rollback\(/;
const REACH = 25;

/** A connection that is taken and, within the lines that follow, never given back. */
function leak(file: CaseFile): Place | null {
  return (
    grep(file.repo, CHECKOUT).find(({ file: path, line, text }) => {
      if (RETURNED.test(text)) return false;
      const after = (file.repo.lines(path) ?? []).slice(line, line + REACH);
      return !after.some((one) => RETURNED.test(one));
    }) ?? null
  );
}

const poolPlace = (hit: Hit, file: CaseFile): Place | null =>
  changedLine(file, POOL_SIZE) ??
  leak(file) ??
  settingLine(file, POOL_SIZE) ??
  traceAround(file, hit.at)?.places[0] ??
  null;

const serverPlace = (hit: Hit, file: CaseFile): Place | null =>
  settingLine(file, POOL_SIZE) ?? traceAround(file, hit.at)?.places[0] ?? null;

const quoted = (hit: Hit): string => hit.match[0].trim().slice(0, 140);

/** There are too few connections for the work, or too many for the server. */
export const capacity = fromWordings([
  {
    rule: 'too-many-connections',
    pattern:
      /sorry, too many clients already|remaining connection slots are reserved[^"]*|too many connections for (?:role|database) "?\w+|Too many connections|ER_CON_COUNT_ERROR|max number of clients reached|User \w+ already has more than 'max_user_connections'|connection limit exceeded for \w+|MaxClientsInSessionMode|too many open connections/,
    score: 95,
    classification: 'config',
    subject: () => 'pool',
    rootCause: (hit) =>
      `The database server has no connection left to give: the service opens more connections than it allows ("${quoted(hit)}").`,
    fix: () =>
      'Make the pools of all replicas together smaller than the server’s limit, or put a pooler such as PgBouncer between.',
    place: serverPlace,
  },
  {
    rule: 'pool-exhausted',
    pattern:
      /QueuePool limit of size \d+[^,]*(?:, connection timed out[^(]*)?|Timed out fetching a new connection from the connection pool|Connection is not available, request timed out after \d+ms|could not obtain a (?:database )?connection (?:from the pool )?within [\d.]+ seconds|connection not available and request was dropped from queue after \d+ms|pool timed out while waiting for an open connection|timeout exceeded when trying to connect|KnexTimeoutError: .*|SequelizeConnectionAcquireTimeoutError|ResourceRequest timed out|The timeout period elapsed prior to obtaining a connection from the pool|Timeout acquiring a connection|Unable to acquire JDBC Connection|PoolTimedOut|pool is (?:full|exhausted)|Timeout waiting for connection from pool|Waited \d+\.\d+ sec, \d+\/\d+ available/,
    score: 94,
    classification: (_hit, file) =>
      leak(file) !== null && changedLine(file, POOL_SIZE) === null ? 'code' : 'config',
    subject: () => 'pool',
    rootCause: (hit, file) =>
      leak(file) !== null && changedLine(file, POOL_SIZE) === null
        ? `The connection pool is used up, because a connection is taken and never released ("${quoted(hit)}").`
        : `The connection pool is used up: requests wait for a connection that does not come free ("${quoted(hit)}").`,
    fix: (_hit, file) =>
      leak(file) === null
        ? 'Give connections back sooner, make queries shorter, or make the pool as large as the load needs.'
        : 'Release the connection on every path (finally, with, defer).',
    place: poolPlace,
  },
]);
