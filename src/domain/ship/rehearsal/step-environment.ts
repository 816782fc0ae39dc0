type Variables = Readonly<Record<string, string>>;

export type EnvironmentParts = {
  /** `install` and `build` may reach a registry; the service starts as in production. */
  readonly phase: 'install' | 'build' | 'start';
  readonly path: string;
  readonly home: string;
  readonly temp: string;
  readonly marker: string;
  /** The whole environment of this program; only what is named below gets through. */
  readonly outside: Readonly<Record<string, string | undefined>>;
  readonly explicit: Variables;
  /** Addresses of the throw-away data stores; an explicit value wins. */
  readonly injected: Variables;
  readonly port: number | null;
};

/** Marks every process of a rehearsal, so that strays can be found by it. */
export const MARKER = 'CONVOY_REHEARSAL';

const LOCALE = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'];
// Where certificates and toolchains lie is no secret, and without it many an install cannot work.
const PLACES = words(
  `NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE PIP_CERT CURL_CA_BUNDLE
   JAVA_HOME GOROOT DOTNET_ROOT 
   RUSTUP_HOME PYENV_ROOT PYENV_VERSION RBENV_ROOT ASDF_DATA_DIR VOLTA_HOME`,
);
const ADDRESSES = words(
  `HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
   npm_config_registry NPM_CONFIG_REGISTRY YARN_NPM_REGISTRY_SERVER
   PIP_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX GOPROXY GOSUMDB`,
);
const CREDENTIALS_IN_URL = /:\/\/[^/\s]*@/;

/** The environment of one step: nothing is inherited but what is named here. */
export function stepEnvironment(parts: EnvironmentParts): Record<string, string> {
  const fetches = parts.phase !== 'start';
  const env: Record<string, string> = {
    PATH: parts.path,
    HOME: parts.home,
    TMPDIR: parts.temp,
    ...packageHomes(parts.home),
    ...picked(parts.outside, LOCALE),
    ...picked(parts.outside, PLACES),
    ...(fetches ? picked(parts.outside, ADDRESSES) : {}),
    ...(fetches ? { CI: '1' } : { NODE_ENV: 'production' }),
    ...(parts.port === null ? {} : { PORT: String(parts.port) }),
    ...parts.injected,
    ...parts.explicit,
    [MARKER]: parts.marker,
  };
  // Package managers leave out what the build needs when they believe to be in production.
  if (parts.phase === 'install') delete env['NODE_ENV'];
  if (parts.port !== null) env['PORT'] = String(parts.port);
  return env;
}

/** Package managers that would write to the system are sent to the scratch home. */
function packageHomes(home: string): Variables {
  return {
    PYTHONUSERBASE: `${home}/.local`,
    PYTHONUNBUFFERED: '1',
    PIP_USER: '1',
    PIP_BREAK_SYSTEM_PACKAGES: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    GEM_HOME: `${home}/.gem`,
    BUNDLE_PATH: `${home}/.bundle-path`,
  };
}

function picked(
  outside: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Variables {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = outside[name];
      return value === undefined || CREDENTIALS_IN_URL.test(value) ? [] : [[name, value] as const];
    }),
  );
}

const FOREIGN_PROGRAMS = /\/(?:node_modules\/\.bin|\.?venv\/bin)\/?$/;

/** The search path for a copy: its own programs first, never those of another project. */
export function searchPath(own: readonly string[], outside: string): string {
  const kept = outside
    .split(':')
    .filter((entry) => entry.startsWith('/') && !FOREIGN_PROGRAMS.test(entry));
  return [...new Set([...own, ...kept])].join(':');
}

const PLAIN =
  /^(?:\d+(?:\.\d+)?|true|false|on|off|yes|no|production|development|test|staging|info|debug|warn|error|localhost|\d+\.\d+\.\d+\.\d+)$/i;

/** The values that must not appear in any output: whatever was given and is not an everyday word. */
export function secretValues(explicit: Variables): string[] {
  return Object.values(explicit).filter((value) => value.length >= 6 && !PLAIN.test(value));
}

function words(text: string): string[] {
  return text.split(/\s+/);
}
