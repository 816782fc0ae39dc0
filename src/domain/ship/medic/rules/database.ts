import { hits, nameOf, said, shown, traceAround } from '../case-file.ts';
import type { CaseFile, Hit, Rule } from '../case-file.ts';
import type { Candidate } from '../diagnosis.ts';
import { envNamesIn, escape, whereRead } from '../env-names.ts';
import { finding } from '../finding.ts';
import { grep, lineAt } from '../repository.ts';
import type { Found, Place } from '../repository.ts';
import { caught, fromWordings } from './wording.ts';

/** A data store does not answer, or refuses us, or has not the shape the code expects. */
export const database: Rule = (file) => [...unreachable(file), ...refused(file)];

const STORES: Readonly<Record<string, string>> = {
  '5432': 'Postgres',
  '3306': 'MySQL',
  '6379': 'Redis',
  '27017': 'MongoDB',
  '5672': 'RabbitMQ',
  '9092': 'Kafka',
  '9200': 'Elasticsearch',
  '1433': 'SQL Server',
  '11211': 'Memcached',
};

const NO_ANSWER: readonly [RegExp, string | null][] = [
  [/(?:connect )?ECONNREFUSED(?: ([\w.:[\]-]+?))?(?::(\d+))?\b/, null],
  [
    /connection to server at "([^"]+)".*port (\d+) failed: (?:Connection refused|timeout|Connection timed out)/,
    'Postgres',
  ],
  [/could not connect to server: Connection refused/, 'Postgres'],
  [
    /(?:PG::ConnectionBad|ConnectionNotEstablished|ECONNREFUSED.*pg|Npgsql\.NpgsqlException).*(?:refused|failed|could not)/i,
    'Postgres',
  ],
  [/Connection to ([\w.-]+):(\d+) refused/, null],
  [/dial tcp ([\w.:[\]-]+?):(\d+): (?:connect: connection refused|i\/o timeout)/, null],
  [/Can't connect to (?:local )?(?:MySQL|MariaDB) server on '([^':]+)(?::(\d+))?/, 'MySQL'],
  [/Communications link failure|SQLSTATE\[HY000\] \[2002\]/, 'MySQL'],
  [
    /Error (?:111|61|99|-2|-3) connecting to ([\w.-]+):(\d+)|Redis::CannotConnectError|Error connecting to Redis/,
    'Redis',
  ],
  [
    /MongoServerSelectionError|ServerSelectionTimeoutError|MongooseServerSelectionError|MongoNetworkError/,
    'MongoDB',
  ],
  [/Can't reach database server at [`'"]?([\w.-]+)[`'"]?:?[`'"]?(\d+)?/, null],
  [
    /(?:tcp connect|\*\* \(DBConnection\.ConnectionError\)).*?\(?([\w.-]+):(\d+)\)?.*(?:econnrefused|refused)/,
    'Postgres',
  ],
  [
    /timeout occurred after waiting \d+ seconds for ([\w.-]+):(\d+)|waiting on dependencies to become available: \[?(?:tcp|http)s?:\/\/([\w.-]+):(\d+)|Timed out waiting for: (?:tcp:)?([\w.-]+):(\d+)|(?<![\w.-])([\w.-]+):(\d+) - no response/,
    null,
  ],
  [/(?:KnexTimeoutError|SequelizeConnection(?:Refused)?Error)/, null],
  [/Connection refused \(os error 111\)|kind: ConnectionRefused|[Cc]onnection refused/, null],
];

function unreachable(file: CaseFile): Candidate[] {
  for (const [pattern, kind] of NO_ANSWER) {
    const hit = hits(file, pattern)[0];
    if (hit === undefined) continue;
    const address = addressOf(file, hit);
    const store = kind ?? STORES[address.port] ?? storeNear(file, hit);
    return [store === null ? otherService(file, hit, address) : noStore(file, hit, store, address)];
  }
  return [];
}

type Address = { readonly host: string; readonly port: string };

function addressOf(file: CaseFile, hit: Hit): Address {
  const near = file.lines
    .slice(hit.at, hit.at + 16)
    .map((line) => line.text)
    .join('\n');
  const named = /\b((?:\d{1,3}\.){3}\d{1,3}|::1|localhost|[\w-]+(?:\.[\w-]+)*):(\d{3,5})\b/.exec(
    hit.text,
  );
  const host = named?.[1] ?? hit.match[1] ?? /address: '([^']+)'/.exec(near)?.[1] ?? '';
  const port = named?.[2] ?? hit.match[2] ?? /port: (\d+)/.exec(near)?.[1] ?? '';
  return { host, port };
}

function storeNear(file: CaseFile, hit: Hit): string | null {
  const near = file.lines
    .slice(Math.max(0, hit.at - 8), hit.at + 14)
    .map((line) => line.text)
    .join('\n');
  const place = traceAround(file, hit.at)?.places[0];
  const source = place === undefined ? '' : (lineAt(file.repo, place) ?? '');
  return storeIn(near) ?? storeIn(source);
}

function storeIn(near: string): string | null {
  const port = /\b(5432|3306|6379|27017|5672|9092|9200|1433|11211)\b/.exec(near)?.[1];
  if (port !== undefined) return STORES[port] ?? null;
  if (/postgres|psycopg|\bpg\b|pg-pool|npgsql|asyncpg/i.test(near)) return 'Postgres';
  if (/mysql|mariadb/i.test(near)) return 'MySQL';
  if (/redis/i.test(near)) return 'Redis';
  if (/mongo/i.test(near)) return 'MongoDB';
  if (/DATABASE_URL|\bdatabase\b/i.test(near)) return 'SQL';
  return null;
}

function noStore(file: CaseFile, hit: Hit, store: string, { host, port }: Address): Candidate {
  const where = host === '' ? '' : ` at ${host}${port === '' ? '' : `:${port}`}`;
  const place = connectPlace(file, hit, store);
  const unset = unsetAddress(file, store, host);
  return finding(file, {
    rule: 'database-unreachable',
    tier: 'cause',
    score: 90,
    at: hit.at,
    subject: `store:${store}`,
    rootCause: unset
      ? `The database (${store}) cannot be reached${where}: ${unset.name} is not set, so ${nameOf(unset.place)} falls back to an address where nothing listens.`
      : `The database (${store}) cannot be reached${where}: the connection was refused or timed out.`,
    classification: unset ? 'config' : 'infra',
    owned: 'developer',
    fix: unset
      ? `Set ${unset.name} to the address of a running ${store}.`
      : `Start ${store}${where} or correct its address in the environment; let the service wait and retry until it is there.`,
    evidence: [...said(file, hit.at), ...shown(file, unset?.place ?? place)],
  });
}

function otherService(file: CaseFile, hit: Hit, { host, port }: Address): Candidate {
  const where = host === '' ? 'another service' : `${host}${port === '' ? '' : `:${port}`}`;
  const place =
    traceAround(file, hit.at)?.places[0] ??
    (port === '' ? null : (grep(file.repo, new RegExp(`\\b${port}\\b`))[0] ?? null));
  return finding(file, {
    rule: 'upstream-refused',
    tier: 'cause',
    score: 78,
    at: hit.at,
    subject: `upstream:${where}`,
    rootCause: `The connection to ${where} was refused: nothing listens there${place ? ` (called from ${nameOf(place)})` : ''}.`,
    classification: 'infra',
    owned: 'developer',
    fix: `Start the service at ${where}, or correct its address in the environment.`,
    evidence: [...said(file, hit.at), ...shown(file, place)],
  });
}

const CLIENTS: Readonly<Record<string, RegExp>> = {
  Postgres:
    /postgres|\bpg\b|new Pool|psycopg|Sequelize|DATABASE_URL|DB_\w*(?:URL|HOST|DSN)|PGHOST|5432/i,
  MySQL: /mysql|mariadb|DATABASE_URL|DB_\w*(?:URL|HOST|DSN)|3306/i,
  SQL: /DATABASE_URL|DB_\w*(?:URL|HOST|DSN)/i,
  Redis: /redis|6379/i,
  MongoDB: /mongo|27017/i,
};

function connectPlace(file: CaseFile, hit: Hit, store: string): Place | null {
  const trace = traceAround(file, hit.at)?.places[0];
  const client = CLIENTS[store];
  if (trace !== undefined || client === undefined) return trace ?? null;
  const all = grep(file.repo, client).filter(({ text }) => !/^\s*(?:\/\/|#|\*)/.test(text));
  return all.find(({ text }) => /:\/\/|connect|new |create|env/i.test(text)) ?? all[0] ?? null;
}

/** A default address in the source, taken because the variable that should name it is absent. */
function unsetAddress(
  file: CaseFile,
  store: string,
  host: string,
): { name: string; place: Found } | null {
  const client = CLIENTS[store];
  if (client === undefined) return null;
  const isLoopback = /^(?:127\.0\.0\.1|::1|localhost|)$/.test(host);
  for (const place of grep(file.repo, client)) {
    const name = envNamesIn(place.text).find((one) => /URL|URI|HOST|DSN|ADDR/i.test(one));
    // Without an address most clients quietly try their own machine.
    const fallsBack = isLoopback || /\?\?|\|\||,\s*['"]|unwrap_or|:-|default/i.test(place.text);
    if (name !== undefined && fallsBack && !file.evidence.env.given.includes(name))
      return { name, place };
  }
  return null;
}

const urlPlace = (file: CaseFile): Place | null => whereRead(file.repo, 'DATABASE_URL')[0] ?? null;

function isPending(hit: Hit, file: CaseFile): boolean {
  const name = caught(hit).split('.').at(-1) ?? '';
  if (name === '') return true;
  const spoken = hits(
    file,
    /unapplied migration|Migrations are pending|PendingMigrationError|pending migration/i,
  );
  const written = grep(file.repo, new RegExp(`\\b${escape(name)}\\b`, 'i'), (path) =>
    /(?:^|\/)(?:\w*migrat\w*|versions|drizzle|changelog)\//i.test(path),
  );
  return spoken.length > 0 || written.length > 0;
}

const refused = fromWordings([
  {
    rule: 'database-auth',
    pattern:
      /password authentication failed for user "?([\w.-]+)|Access denied for user '([^']*)'|WRONGPASS|NOAUTH Authentication required|Authentication failed\.|MongoServerError: Authentication failed|28P01|SASL: SCRAM-SERVER-FIRST-MESSAGE|no pg_hba\.conf entry|role "([\w-]+)" does not exist|Login failed for user '([^']*)'/,
    score: 93,
    classification: 'config',
    subject: () => 'store:auth',
    rootCause: (hit) =>
      `The database refused the login${caught(hit) ? ` of user ${caught(hit)}` : ''}, so authentication failed.`,
    fix: () =>
      'Set the right user and password in the database address of this lane, or create that user.',
    place: (_hit, file) => urlPlace(file),
  },
  {
    rule: 'database-missing',
    pattern:
      /database "([\w.-]+)" does not exist|Unknown database '([^']+)'|Cannot open database "([^"]+)"|unable to open database file/,
    score: 93,
    classification: 'config',
    subject: (hit) => `store:${caught(hit, 'file')}`,
    rootCause: (hit) =>
      caught(hit)
        ? `The database "${caught(hit)}" does not exist on the server.`
        : 'The database file cannot be opened.',
    fix: (hit) =>
      `Create the database${caught(hit) ? ` ${caught(hit)}` : ''} or correct its name in the address.`,
    place: (_hit, file) => urlPlace(file),
  },
  {
    rule: 'relation-missing',
    pattern:
      /relation "([\w.]+)" does not exist|no such table:? ([\w.]+)|Table '([\w.]+)' doesn't exist|[Tt]he table `([\w.]+)` does not exist|column "?([\w.]+)"? (?:of relation "\w+" )?does not exist|no such column:? ([\w.]+)|Unknown column '([\w.]+)'|PendingMigrationError|You have \d+ unapplied migration|Migrations are pending/,
    score: 90,
    // A migration that exists was not run; one that does not exist must be written.
    classification: (hit, file) => (isPending(hit, file) ? 'config' : 'code'),
    subject: (hit) => `relation:${caught(hit, 'pending')}`,
    rootCause: (hit) =>
      caught(hit)
        ? `The table or column "${caught(hit)}" does not exist in the database: its migration has not run, or there is none.`
        : 'Migrations are pending: the database has not the shape the code expects.',
    fix: () =>
      'Run the migrations before the release starts (as a release step), or add the missing one.',
  },
]);
