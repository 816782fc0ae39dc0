import { citeAt, type Source } from './evidence.ts';
import type { Ecosystem, Evidence } from './lane.ts';
import type { Project } from './project.ts';
import { programEndings } from './program-endings.ts';
import { withoutRemarks } from './without-comments.ts';

export interface EnvNames {
  readonly secrets: readonly string[];
  readonly settings: readonly string[];
  readonly evidence: readonly Evidence[];
}

const MOST_NAMES = 300;
const EXAMPLES =
  /^(\.env\.([\w-]+\.)?(example|sample|template|schema|dist|defaults?)|env\.(example|sample|template|dist)|(example|sample)\.env|\.env\.[\w-]+\.(example|sample))$/;

/** Names every runtime or host knows by itself; nobody has to hand them over. */
const AMBIENT =
  /^(PORT|HOST|HOSTNAME|BIND|ADDRESS|ADDR|LISTEN_ADDR|HTTP_ADDR|SERVER_ADDR|BIND_ADDR|NODE_ENV|NODE_OPTIONS|ENV|ENVIRONMENT|APP_ENV|APP_DEBUG|APP_NAME|APP_URL|APP_LOCALE|APP_FALLBACK_LOCALE|APP_FAKER_LOCALE|APP_MAINTENANCE_\w+|APP_PORT|SERVER_PORT|API_PORT|HTTP_PORT|WEB_PORT|LOG_LEVEL|LOG_FORMAT|LOGLEVEL|LOG_CHANNEL|LOG_STACK|LOG_DEPRECATIONS_CHANNEL|DEBUG|VERBOSE|TZ|LANG|LC_ALL|CI|HOME|PATH|USER|PWD|SHELL|TERM|TMPDIR|TEMP|APPDATA|npm_\w+|INIT_CWD|VERCEL\w*|FLY_\w+|RAILWAY_\w+|RENDER\w*|K_SERVICE|K_REVISION|GITHUB_(ACTIONS|SHA|REF)|DYNO|RAILS_ENV|RACK_ENV|RAILS_MAX_THREADS|RAILS_MIN_THREADS|RAILS_LOG_LEVEL|RAILS_LOG_TO_STDOUT|RAILS_SERVE_STATIC_FILES|WEB_CONCURRENCY|PIDFILE|BUNDLE_\w+|FLASK_ENV|FLASK_APP|FLASK_DEBUG|DJANGO_SETTINGS_MODULE|DJANGO_DEBUG|PYTHON\w*|VIRTUAL_ENV|MIX_ENV|PHX_SERVER|PHX_HOST|POOL_SIZE|ECTO_IPV6|DNS_CLUSTER_QUERY|RELEASE_NAME|ASPNETCORE_\w+|DOTNET_\w+|RUST_LOG|RUST_BACKTRACE|CARGO_\w+|OUT_DIR|GIN_MODE|GO_ENV|GOPATH|GOMAXPROCS|JAVA_HOME|JAVA_OPTS|SPRING_PROFILES_ACTIVE|DENO_\w+|BUN_ENV|NEXT_RUNTIME|NEXT_PHASE|NEXT_TELEMETRY_DISABLED|ANALYZE|BASE_URL|MODE|DEV|PROD|SSR|NO_COLOR|FORCE_COLOR|SECRET_KEY_BASE_DUMMY|VITE_USER_NODE_ENV|TAURI_\w+|BROADCAST_CONNECTION|QUEUE_CONNECTION|CACHE_STORE|CACHE_DRIVER|CACHE_PREFIX|SESSION_(DRIVER|LIFETIME|ENCRYPT|PATH|DOMAIN)|FILESYSTEM_DISK|DB_CONNECTION|MAIL_MAILER|BCRYPT_ROUNDS|PHP_CLI_SERVER_WORKERS|VITE_APP_NAME)$/;

/** Names that end up in the browser's bundle and so can hold no secret. */
const PUBLIC =
  /^(NEXT_PUBLIC_|VITE_|NUXT_PUBLIC_|PUBLIC_|REACT_APP_|GATSBY_|EXPO_PUBLIC_|VUE_APP_|NG_APP_|STORYBOOK_|RAZZLE_|SNOWPACK_PUBLIC_|TURBO_)/;

const READS: Readonly<Partial<Record<Ecosystem, readonly RegExp[]>>> = {
  node: [
    /(?:process\.env|Bun\.env|import\.meta\.env)\.([A-Z][A-Z0-9_]+)\b/g,
    /(?:process\.env|Bun\.env|import\.meta\.env)\[['"`]([A-Z][A-Z0-9_]+)['"`]\]/g,
    /\b(?:getOrThrow|config(?:Service)?\.get)(?:<[^>]*>)?\(\s*['"]([A-Z][A-Z0-9_]+)['"]/g,
    /\$env\/(?:static|dynamic)\/private/g,
    /^[ \t]*([A-Z][A-Z0-9_]{2,}):\s*(?:z\.|str\(|url\(|Joi\.|Type\.|v\.|host\(|email\(|num\()/gm,
  ],
  deno: [/Deno\.env\.get\(\s*['"]([A-Z][A-Z0-9_]+)['"]/g, /process\.env\.([A-Z][A-Z0-9_]+)\b/g],
  python: [
    /\bos\.environ(?:\.get\(|\[)\s*f?['"]([A-Z][A-Z0-9_]+)['"]/g,
    /\benviron(?:\.get\(|\[)\s*['"]([A-Z][A-Z0-9_]+)['"]/g,
    /\b(?:os\.)?getenv\(\s*['"]([A-Z][A-Z0-9_]+)['"]/g,
    /\b(?:config|env)(?:\.\w+)?\(\s*['"]([A-Z][A-Z0-9_]+)['"]/g,
  ],
  go: [
    /\bos\.(?:Getenv|LookupEnv)\(\s*"([A-Z][A-Z0-9_]+)"/g,
    /\b[gG]etEnv\w*\(\s*"([A-Z][A-Z0-9_]+)"/g,
    /\b(?:env|envconfig):"([A-Z][A-Z0-9_]+)[",]/g,
    /viper\.(?:Get\w*|BindEnv)\(\s*"([A-Z][A-Z0-9_]+)"/g,
  ],
  rust: [
    /\b(?:env::var(?:_os)?|dotenvy::var|env!|option_env!|var)\(\s*"([A-Z][A-Z0-9_]+)"/g,
    /env\s*=\s*"([A-Z][A-Z0-9_]+)"/g,
  ],
  ruby: [/\bENV(?:\.fetch\(|\[)\s*['"]([A-Z][A-Z0-9_]+)['"]/g],
  php: [
    /\b(?:env|getenv)\(\s*['"]([A-Z][A-Z0-9_]+)['"]/g,
    /\$_(?:ENV|SERVER)\[['"]([A-Z][A-Z0-9_]+)['"]\]/g,
  ],
  jvm: [/System\.getenv\(\s*"([A-Z][A-Z0-9_]+)"/g, /@Value\("\$\{([A-Z][A-Z0-9_]+)[:}]/g],
  dotnet: [
    /GetEnvironmentVariable\(\s*"([A-Z][A-Z0-9_]+)"/g,
    /Configuration\["([A-Z][A-Z0-9_]+)"\]/g,
  ],
  elixir: [/System\.(?:get_env|fetch_env!?)\(\s*"([A-Z][A-Z0-9_]+)"/g],
  swift: [/Environment\.get\(\s*"([A-Z][A-Z0-9_]+)"/g, /environment\["([A-Z][A-Z0-9_]+)"\]/g],
};

const CONFIG_TEXT =
  /(^|\/)(application[\w-]*\.(properties|ya?ml)|schema\.prisma|application\.conf|database\.yml)$/;

/** Names of variables that somebody must provide, split into secrets and plain settings. */
export function findEnvNames(project: Project, ecosystem: Ecosystem): EnvNames {
  const found = new Map<string, Evidence>();
  const defaults = new Map<string, boolean>();
  const note = (name: string | undefined, source: Source, position: number, rule: string): void => {
    if (name === undefined || found.size >= MOST_NAMES) return;
    if (found.has(name) || AMBIENT.test(name)) return;
    found.set(name, citeAt('secrets', name, source, position, rule));
  };
  for (const file of project.files.filter((name) => EXAMPLES.test(name)))
    for (const match of project.source(file).text.matchAll(/^(?:export\s+)?([A-Za-z_]\w*)\s*=/gm))
      note(match[1], project.source(file), match.index, 'env-example');
  for (const source of project.sources(programEndings(ecosystem)))
    for (const [name, position] of namesRead(source, ecosystem)) {
      if (name !== undefined)
        unforced(name, source.text.slice(position, position + REACH), defaults);
      note(name, source, position, 'env-read');
    }
  for (const file of project.files.filter((name) => CONFIG_TEXT.test(name)))
    for (const match of project
      .source(file)
      .text.matchAll(/(?:\$\{|\benv\(["']|ENV(?:\.fetch\(|\[)["'])([A-Z][A-Z0-9_]+)/g))
      note(match[1], project.source(file), match.index, 'config-reference');
  return sorted(found, defaults);
}

function namesRead(
  source: Source,
  ecosystem: Ecosystem,
): readonly (readonly [string | undefined, number])[] {
  const text = withoutRemarks(source.text, source.file);
  const direct = (READS[ecosystem] ?? []).flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => [match[1], match.index] as const),
  );
  const unpacked = [...text.matchAll(/\{([^{}]*)\}\s*=\s*process\.env\b/g)].flatMap((match) =>
    [...(match[1] ?? '').matchAll(/\b([A-Z][A-Z0-9_]+)\b/g)].map(
      (name) => [name[1], match.index] as const,
    ),
  );
  const kit = [
    ...text.matchAll(/import\s*\{([^}]*)\}\s*from\s*['"]\$env\/static\/private['"]/g),
  ].flatMap((match) =>
    [...(match[1] ?? '').matchAll(/\b([A-Z][A-Z0-9_]+)\b/g)].map(
      (name) => [name[1], match.index] as const,
    ),
  );
  return [...direct, ...unpacked, ...kit, ...settingsFields(text, ecosystem)];
}

/** Fields of a pydantic settings class that have no value of their own. */
function settingsFields(
  text: string,
  ecosystem: Ecosystem,
): readonly (readonly [string | undefined, number])[] {
  if (ecosystem !== 'python') return [];
  return [
    ...text.matchAll(/^class \w+\((?:\w+\.)?BaseSettings\):\n((?:[ \t]+[^\n]*\n|\n){0,80})/gm),
  ].flatMap((match) => {
    const prefix = /env_prefix\s*=\s*['"](\w+)['"]/.exec(match[1] ?? '')?.[1] ?? '';
    return [
      ...(match[1] ?? '').matchAll(
        /^ {4}([a-z]\w*)\s*:\s*[\w.[\] |]+(?:=\s*(?:Field\(\.\.\.|""|None).*)?$/gim,
      ),
    ].map((field) => [(prefix + (field[1] ?? '')).toUpperCase(), match.index] as const);
  });
}

const REACH = 160;
const DEFAULTED =
  /^[^\n;]{0,60}?[A-Z0-9_]['"`]?\]?\)?\s*(?:\?\?|\|\|)\s*(?:['"`]|\d|true\b|false\b)|^[^\n;(]{0,40}\(\s*['"][A-Z0-9_]+['"]\s*,\s*(?:default\s*=\s*)?(?:['"]|\d|True\b|False\b|true\b|false\b)|^[^\n;]{0,60}?\)\s*(?:\?:|\?\?)\s*['"\d]|unwrap_or(?:_else)?\(/;
/** Names that hold a secret, or an address that nobody can guess, whatever the code falls back to. */
const SECRET_LIKE =
  /KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH|URL|URI|DSN|DATABASE|DB_|_DB|SALT|CERT|PRIVATE|HOST|USER|ACCOUNT|BUCKET|BROKER|ENDPOINT|SERVER|_ID$|_SID$/;

/** Remembers whether every place that reads a plain setting has a value of its own to fall back to. */
function unforced(name: string, read: string, defaults: Map<string, boolean>): void {
  const has = DEFAULTED.test(read) && !SECRET_LIKE.test(name);
  defaults.set(name, has && defaults.get(name) !== false);
}

function sorted(
  found: ReadonlyMap<string, Evidence>,
  defaults: ReadonlyMap<string, boolean>,
): EnvNames {
  const names = [...found.keys()].toSorted();
  const isPlain = (name: string): boolean => PUBLIC.test(name) || defaults.get(name) === true;
  return {
    secrets: names.filter((name) => !isPlain(name)),
    settings: names.filter(isPlain),
    evidence: names.flatMap((name) => {
      const evidence = found.get(name);
      if (evidence === undefined) return [];
      return [isPlain(name) ? { ...evidence, field: 'settings' } : evidence];
    }),
  };
}
