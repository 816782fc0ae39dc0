import type { Draft } from './draft.ts';
import { cite, citeAt, type Source } from './evidence.ts';
import type { Evidence } from './lane.ts';
import type { Project } from './project.ts';
import { programEndings } from './program-endings.ts';
import { withoutRemarks } from './without-comments.ts';

/** Package names, image names and variables by the store they talk to. */
const BY_PACKAGE: readonly (readonly [string, RegExp])[] = [
  [
    'postgres',
    /^(pg|pg-promise|postgres|postgres\.js|pg-boss|graphile-worker|@neondatabase\/serverless|@vercel\/postgres|@prisma\/adapter-pg|@nestjs\/typeorm-pg|@fastify\/postgres|psycopg|psycopg2|psycopg2-binary|psycopg-binary|asyncpg|pg8000|aiopg|github\.com\/lib\/pq|github\.com\/jackc\/pgx(\/v\d+)?|gorm\.io\/driver\/postgres|github\.com\/go-pg\/pg.*|tokio-postgres|deadpool-postgres|postgres_derive|postgrex|org\.postgresql.*|postgresql|r2dbc-postgresql|npgsql.*|fluent-postgres-driver|postgres-nio|postgreskit|ext-pgsql|ext-pdo_pgsql|sqlx\+postgres|diesel\+postgres|sea-orm\+sqlx-postgres|quarkus-jdbc-postgresql)$/i,
  ],
  [
    'mysql',
    /^(mysql|mysql2|mariadb|@planetscale\/database|mysqlclient|pymysql|aiomysql|asyncmy|mysql-connector-python|github\.com\/go-sql-driver\/mysql|gorm\.io\/driver\/mysql|mysql_async|myxql|mysql-connector-j|mysql-connector-java|mariadb-java-client|pomelo\.entityframeworkcore\.mysql|mysql\.data|mysqlconnector|trilogy|fluent-mysql-driver|ext-pdo_mysql|ext-mysqli|sqlx\+mysql|diesel\+mysql|sea-orm\+sqlx-mysql|quarkus-jdbc-mysql)$/i,
  ],
  [
    'sqlite',
    /^(sqlite3|better-sqlite3|sqlite|libsql|@libsql\/client|bun:sqlite|node:sqlite|aiosqlite|github\.com\/mattn\/go-sqlite3|modernc\.org\/sqlite|gorm\.io\/driver\/sqlite|rusqlite|ecto_sqlite3|exqlite|sqlite-jdbc|microsoft\.entityframeworkcore\.sqlite|microsoft\.data\.sqlite|fluent-sqlite-driver|sqlx\+sqlite|diesel\+sqlite|sea-orm\+sqlx-sqlite)$/i,
  ],
  [
    'redis',
    /^(redis|ioredis|bull|bullmq|bee-queue|connect-redis|@fastify\/redis|@upstash\/redis|redis-py|hiredis|aioredis|django-redis|celery\[redis\]|rq|django-rq|arq|dramatiq\[redis\]|channels-redis|channels_redis|flask-redis|github\.com\/(go-redis\/redis|redis\/go-redis)(\/v\d+)?|github\.com\/hibiken\/asynq|github\.com\/gomodule\/redigo|deadpool-redis|bb8-redis|fred|sidekiq|resque|redis-rails|hiredis-client|redis-client|predis\/predis|ext-redis|laravel\/horizon|redix|exq|spring-boot-starter-data-redis|spring-boot-starter-data-redis-reactive|jedis|lettuce-core|stackexchange\.redis|microsoft\.extensions\.caching\.stackexchangeredis|vapor-redis|redistack|queues-redis-driver|valkey-glide|iovalkey|apalis-redis)$/i,
  ],
  [
    'mongodb',
    /^(mongodb|mongoose|@nestjs\/mongoose|pymongo|motor|mongoengine|beanie|djongo|flask-pymongo|go\.mongodb\.org\/mongo-driver(\/v\d+)?|mongoid|mongodb\/laravel-mongodb|jenssegers\/mongodb|mongodb\/mongodb|ext-mongodb|spring-boot-starter-data-mongodb|mongodb-driver-sync|mongodb\.driver|mongodb_driver|mongokitten)$/i,
  ],
  [
    'elasticsearch',
    /^(@elastic\/elasticsearch|elasticsearch|elasticsearch-dsl|github\.com\/elastic\/go-elasticsearch(\/v\d+)?|elasticsearch-model|spring-boot-starter-data-elasticsearch)$/i,
  ],
  [
    'kafka',
    /^(kafkajs|node-rdkafka|@confluentinc\/kafka-javascript|kafka-python|aiokafka|confluent-kafka|github\.com\/segmentio\/kafka-go|github\.com\/IBM\/sarama|github\.com\/Shopify\/sarama|rdkafka|ruby-kafka|karafka|spring-kafka|confluent\.kafka|brod|broadway_kafka)$/i,
  ],
  [
    'rabbitmq',
    /^(amqplib|amqp-connection-manager|rascal|pika|aio-pika|github\.com\/rabbitmq\/amqp091-go|github\.com\/streadway\/amqp|lapin|bunny|sneakers|php-amqplib\/php-amqplib|spring-boot-starter-amqp|rabbitmq\.client|masstransit\.rabbitmq|amqp|broadway_rabbitmq)$/i,
  ],
  ['nats', /^(nats|@nats-io\/.*|nats-py|github\.com\/nats-io\/nats\.go|async-nats|gnat)$/i],
  [
    'memcached',
    /^(memcached|memjs|pymemcache|python-memcached|pylibmc|dalli|github\.com\/bradfitz\/gomemcache)$/i,
  ],
  ['dynamodb', /^(@aws-sdk\/client-dynamodb|@aws-sdk\/lib-dynamodb|pynamodb)$/i],
  [
    'clickhouse',
    /^(@clickhouse\/client|clickhouse-connect|clickhouse-driver|github\.com\/ClickHouse\/clickhouse-go(\/v\d+)?)$/i,
  ],
  [
    'cassandra',
    /^(cassandra-driver|github\.com\/gocql\/gocql|spring-boot-starter-data-cassandra)$/i,
  ],
  [
    'sqlserver',
    /^(mssql|tedious|pyodbc|pymssql|github\.com\/(microsoft|denisenkom)\/go-mssqldb|mssql-jdbc|microsoft\.entityframeworkcore\.sqlserver|microsoft\.data\.sqlclient)$/i,
  ],
];

const BY_IMAGE: readonly (readonly [string, RegExp])[] = [
  ['postgres', /(^|\/)(postgres|postgresql|postgis|timescaledb|pgvector)([-:/]|$)/],
  ['mysql', /(^|\/)(mysql|mariadb|percona)([-:/]|$)/],
  ['redis', /(^|\/)(redis|valkey|redis-stack|dragonfly|keydb)([-:/]|$)/],
  ['mongodb', /(^|\/)(mongo|mongodb)([-:/]|$)/],
  ['elasticsearch', /(^|\/)(elasticsearch|opensearch)([-:/]|$)/],
  ['kafka', /(^|\/)(kafka|cp-kafka|redpanda)([-:/]|$)/],
  ['rabbitmq', /(^|\/)rabbitmq([-:/]|$)/],
  ['nats', /(^|\/)nats([-:/]|$)/],
  ['memcached', /(^|\/)memcached([-:/]|$)/],
  ['clickhouse', /(^|\/)clickhouse(-server)?([-:/]|$)/],
  ['cassandra', /(^|\/)(cassandra|scylla)([-:/]|$)/],
  ['sqlserver', /(^|\/)(mssql|azure-sql-edge)([-:/]|$)/],
  ['s3', /(^|\/)(minio|localstack)([-:/]|$)/],
];

const BY_URL: readonly (readonly [string, RegExp])[] = [
  [
    'postgres',
    /\bpostgres(?:ql)?(?:\+\w+)?:\/\/|jdbc:postgresql:|\bprovider\s*=\s*"postgresql"|\bpgsql\b|django\.db\.backends\.postgresql|Ecto\.Adapters\.Postgres|dialect:\s*['"]postgres(ql)?['"]|adapter:\s*postgresql|type:\s*['"]postgres['"]/,
  ],
  [
    'mysql',
    /\bmysql(?:2)?(?:\+\w+)?:\/\/|jdbc:(?:mysql|mariadb):|\bprovider\s*=\s*"mysql"|django\.db\.backends\.mysql|Ecto\.Adapters\.MyXQL|DB_CONNECTION=(?:mysql|mariadb)|adapter:\s*mysql2|type:\s*['"]mysql['"]|dialect:\s*['"]mysql['"]/,
  ],
  ['mongodb', /\bmongodb(?:\+srv)?:\/\/|\bprovider\s*=\s*"mongodb"/],
  ['redis', /\brediss?:\/\/|QUEUE_CONNECTION=redis|CACHE_STORE=redis/],
  [
    'sqlite',
    /\bsqlite(?:\+\w+)?:\/\/|jdbc:sqlite:|\bprovider\s*=\s*"sqlite"|django\.db\.backends\.sqlite3|Ecto\.Adapters\.SQLite3|DB_CONNECTION=sqlite|adapter:\s*sqlite3|type:\s*['"](?:better-)?sqlite3?['"]|\bbun:sqlite\b|\bnode:sqlite\b/,
  ],
  ['rabbitmq', /\bamqps?:\/\//],
  ['kafka', /\bKAFKA_(?:BROKERS?|BOOTSTRAP\w*)\b/],
  ['nats', /\bnats:\/\//],
  ['postgres', /^[ \t]*(?:export\s+)?(?:POSTGRES|PG)_?(?:HOST|USER|URL|DB|DATABASE|PASSWORD)\s*=/m],
  ['mysql', /^[ \t]*(?:export\s+)?MYSQL_(?:HOST|USER|URL|DB|DATABASE|PASSWORD)\s*=/m],
  ['mongodb', /^[ \t]*(?:export\s+)?MONGO(?:DB)?_(?:URI|URL|HOST)\s*=/m],
  ['redis', /^[ \t]*(?:export\s+)?REDIS_(?:URL|HOST|URI)\s*=/m],
  ['postgres', /DB_CONNECTION=pgsql/],
];

/** Laravel's settings list every driver there is; only the default is in use. */
const LISTS_DRIVERS = /(^|\/)config\/(database|queue|cache|session|broadcasting|logging)\.php$/;
const DRIVER_DEFAULTS: readonly (readonly [string, RegExp])[] = [
  ['mysql', /env\(\s*['"]DB_CONNECTION['"]\s*,\s*['"](?:mysql|mariadb)['"]/],
  ['postgres', /env\(\s*['"]DB_CONNECTION['"]\s*,\s*['"]pgsql['"]/],
  ['sqlite', /env\(\s*['"]DB_CONNECTION['"]\s*,\s*['"]sqlite['"]/],
  ['sqlserver', /env\(\s*['"]DB_CONNECTION['"]\s*,\s*['"]sqlsrv['"]/],
  [
    'redis',
    /env\(\s*['"](?:QUEUE_CONNECTION|CACHE_STORE|CACHE_DRIVER|SESSION_DRIVER)['"]\s*,\s*['"]redis['"]/,
  ],
];

const CONFIG_FILES =
  /(^|\/)(\.env\.[\w.-]*|env\.example|.*\.prisma|ormconfig\.\w+|application[\w-]*\.(properties|ya?ml)|database\.yml|appsettings[\w.]*\.json|drizzle\.config\.\w+|knexfile\.\w+|settings[\w]*\.py|config\.exs|alembic\.ini|mikro-orm\.config\.\w+)$/;

export interface Datastores {
  readonly names: readonly string[];
  readonly evidence: readonly Evidence[];
}

/** The store an image of a compose file runs, if it is one. */
export function storeOfImage(image: string): string | undefined {
  return BY_IMAGE.find(([, pattern]) => pattern.test(image))?.[0];
}

/** The stores a lane talks to, each with the first line that says so. */
export function findDatastores(
  project: Project,
  draft: Draft,
  outside: readonly Evidence[],
): Datastores {
  const found = new Map<string, Evidence>();
  const note = (evidence: Evidence): void => {
    if (!found.has(evidence.value)) found.set(evidence.value, evidence);
  };
  const manifest = project.has(draft.manifest)
    ? project.source(draft.manifest)
    : { file: draft.manifest, text: project.snapshot.text(draft.manifest) ?? '' };
  for (const name of draft.dependencies) {
    const store = storeOfPackage(name);
    if (store !== undefined)
      note(cite('datastores', store, manifest, name.split('+')[0] ?? name, 'dependency'));
  }
  for (const evidence of outside) note(evidence);
  for (const source of configSources(project, draft))
    for (const [store, pattern] of patternsFor(source, project)) {
      const match = pattern.exec(source.text);
      if (match !== null)
        note(
          citeAt(
            'datastores',
            store,
            source,
            match.index + match[0].search(/\S/),
            'connection-string',
          ),
        );
    }
  dropStandIn(found);
  const names = [...found.keys()].toSorted();
  return {
    names,
    evidence: names.map((name) => found.get(name)).filter((one) => one !== undefined),
  };
}

function patternsFor({ file }: Source, project: Project): readonly (readonly [string, RegExp])[] {
  if (!LISTS_DRIVERS.test(file)) return BY_URL;
  // An example environment says which driver is meant; the default in the settings is for those without.
  const chosen = project.files.some(
    (one) => /^\.env\.[\w.-]+$/.test(one) && /^DB_CONNECTION=\w/m.test(project.text(one) ?? ''),
  );
  return chosen ? DRIVER_DEFAULTS.filter(([store]) => store === 'redis') : DRIVER_DEFAULTS;
}

export function storeOfPackage(name: string): string | undefined {
  return BY_PACKAGE.find(([, pattern]) => pattern.test(name))?.[0];
}

function configSources(project: Project, draft: Draft): readonly Source[] {
  const files = project.files.filter((file) => CONFIG_FILES.test(file));
  const config = files.map((file) => project.source(file));
  const code = project
    .sources(programEndings(draft.ecosystem))
    .filter(({ file }) => !CONFIG_FILES.test(file))
    .map((source) => ({ ...source, text: withoutRemarks(source.text, source.file) }));
  return [...config, ...code];
}

// A file database beside a real one is what the developer's laptop or the tests use.
function dropStandIn(found: Map<string, Evidence>): void {
  const sqlite = found.get('sqlite');
  const real = ['postgres', 'mysql', 'sqlserver'].some((name) => found.has(name));
  if (sqlite !== undefined && real && sqlite.rule !== 'dependency') found.delete('sqlite');
}
