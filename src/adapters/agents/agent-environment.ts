/** Names that every agent may see of the engine's environment. */
const ALWAYS = ['HOME', 'LANG', 'TERM'];

export type EnvironmentParts = {
  readonly base: Readonly<Record<string, string | undefined>>;
  /** Names the repo lets through. */
  readonly allow: readonly string[];
  /** Names of the agent's own credentials and settings. */
  readonly own: readonly string[];
  /** Values the agent's adapter sets. */
  readonly fixed: Readonly<Record<string, string>>;
  /** What the contract promises; wins over everything. */
  readonly convoy: Readonly<Record<string, string>>;
  /** Where Convoy is installed. */
  readonly convoyRoot: string;
};

/**
 * An agent's whole environment: a few common names, what the repo and the agent itself need, and the
 * contract's variables. Nobody can let Convoy's own variables through: they would open its ledger.
 */
export function agentEnvironment(parts: EnvironmentParts): Record<string, string> {
  const names = [...ALWAYS, ...parts.allow, ...parts.own].filter(
    (name) => !name.startsWith('CONVOY_') && name !== 'PATH',
  );
  const passed = names.flatMap((name) => {
    const value = parts.base[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    PATH: foreignPath(parts.base['PATH'] ?? '', parts.convoyRoot),
    ...Object.fromEntries(passed),
    ...parts.fixed,
    ...parts.convoy,
  };
}

const FALLBACK_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * A search path without the places that a package manager adds when it runs Convoy: the repo would
 * find our tools instead of its own.
 */
export function foreignPath(path: string, convoyRoot: string): string {
  const kept = path
    .split(':')
    .filter((entry) => entry !== '' && !isOurs(entry.replace(/\/+$/, ''), convoyRoot));
  return kept.length === 0 ? FALLBACK_PATH : kept.join(':');
}

function isOurs(entry: string, convoyRoot: string): boolean {
  if (entry.endsWith('/node-gyp-bin')) return true;
  if (!entry.endsWith('/node_modules/.bin')) return false;
  const owner = entry.slice(0, -'/node_modules/.bin'.length);
  return convoyRoot === owner || convoyRoot.startsWith(`${owner}/`);
}
