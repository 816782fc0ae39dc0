import type { AuthorLane } from '../lane.ts';
import { lockedIn, recipe, stage, type HasFile, type Recipe } from './recipe.ts';

/**
 * Node with npm, pnpm or yarn, or Bun.
 *
 * The tree that was rehearsed is the tree that ships: development packages stay, because start
 * commands such as `vite preview` come from them.
 */
export function nodeRecipe(lane: AuthorLane, has: HasFile): Recipe {
  const install = nodeInstall(lane, has);
  const env = runEnvironment(lane);
  if (lane.packageManager === 'bun') {
    const image = 'oven/bun:1-slim';
    return recipe(
      lane,
      { ...stage('oven/bun:1'), install, caches: ['/root/.bun/install/cache'] },
      stage(image, { env }),
    );
  }
  const corepack = lane.packageManager === 'pnpm' || lane.packageManager === 'yarn';
  return recipe(
    lane,
    {
      ...stage('node:24-bookworm', {
        env: corepack ? { COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' } : {},
        setup: corepack ? ['corepack enable'] : [],
      }),
      install,
      caches: CACHES[lane.packageManager ?? 'npm'] ?? [],
    },
    stage('node:24-bookworm-slim', {
      env,
      // Database engines written in Rust load the system's TLS library.
      packages: lane.datastores.length > 0 ? ['ca-certificates', 'openssl'] : [],
    }),
  );
}

/** The install that fails when lockfile and manifest disagree, where there is a lockfile. */
export function nodeInstall(lane: AuthorLane, has: HasFile): string {
  const locked = lockedIn(lane, has);
  switch (lane.packageManager) {
    case 'pnpm':
      return locked('pnpm-lock.yaml') ? 'pnpm install --frozen-lockfile' : 'pnpm install';
    case 'yarn':
      if (!locked('yarn.lock')) return 'yarn install';
      return locked('.yarnrc.yml') ? 'yarn install --immutable' : 'yarn install --frozen-lockfile';
    case 'bun':
      return locked('bun.lock', 'bun.lockb') ? 'bun install --frozen-lockfile' : 'bun install';
    default:
      return locked('package-lock.json', 'npm-shrinkwrap.json')
        ? 'npm ci --no-audit --no-fund'
        : 'npm install --no-audit --no-fund';
  }
}

const CACHES: Readonly<Record<string, readonly string[]>> = {
  npm: ['/root/.npm'],
  pnpm: ['/root/.local/share/pnpm/store'],
  yarn: ['/usr/local/share/.cache/yarn'],
};

const HOST_READERS = new Set(['astro', 'sveltekit', 'nuxt', 'remix', 'react-router']);

/** Some servers listen on the loopback interface unless they are told otherwise. */
function runEnvironment(lane: AuthorLane): Record<string, string> {
  return {
    NODE_ENV: 'production',
    ...(HOST_READERS.has(lane.framework ?? '') ? { HOST: '0.0.0.0' } : {}),
    ...(lane.framework === 'next' ? { HOSTNAME: '0.0.0.0' } : {}),
  };
}
