import type { AuthorLane } from '../lane.ts';
import { nodeInstall } from './node.ts';
import { recipe, stage, storePackages, lockedIn, type HasFile, type Recipe } from './recipe.ts';

export function rubyRecipe(lane: AuthorLane, has: HasFile): Recipe {
  const { build, run } = storePackages(lane);
  const frozen: Record<string, string> = lockedIn(lane, has)('Gemfile.lock')
    ? { BUNDLE_FROZEN: '1' }
    : {};
  const env = {
    BUNDLE_PATH: '/usr/local/bundle',
    BUNDLE_WITHOUT: 'development:test',
    RAILS_ENV: 'production',
    RACK_ENV: 'production',
    ...frozen,
  };
  return recipe(
    lane,
    {
      ...stage('ruby:3.4-bookworm', {
        packages: [...build, 'libyaml-dev'],
        // Precompiling assets loads the application, which asks for a key it does not use.
        env: { ...env, SECRET_KEY_BASE_DUMMY: '1' },
      }),
      install: lane.install ?? 'bundle install',
    },
    {
      ...stage('ruby:3.4-slim-bookworm', {
        packages: [...run, 'libyaml-0-2'],
        env: { ...env, RAILS_LOG_TO_STDOUT: '1', RAILS_SERVE_STATIC_FILES: '1' },
      }),
      copies: ['/usr/local/bundle'],
    },
  );
}

/** PHP's own server; a front end built with Node gets a stage of its own. */
export function phpRecipe(lane: AuthorLane, has: HasFile): Recipe {
  const extensions = phpExtensions(lane);
  const compile = extensions.length > 0 ? [`docker-php-ext-install ${extensions.join(' ')}`] : [];
  const headers = lane.datastores.includes('postgres') ? ['libpq-dev'] : [];
  const composer = lane.packageManager === 'composer';
  const install = 'composer install --no-dev --no-interaction --no-progress --optimize-autoloader';
  const plain = recipe(
    lane,
    {
      ...stage('php:8.4-cli-bookworm', {
        packages: [...headers, 'git', 'unzip'],
        setup: [...compile, ...(composer ? [INSTALL_COMPOSER] : [])],
      }),
      install: composer ? install : null,
      commands: [],
      caches: composer ? ['/root/.composer/cache'] : [],
    },
    stage('php:8.4-cli-bookworm', { packages: headers, setup: compile }),
  );
  if (lane.build === null) return plain;
  const node = { ...lane, packageManager: lockedIn(lane, has)('pnpm-lock.yaml') ? 'pnpm' : 'npm' };
  return {
    ...plain,
    assets: {
      image: 'node:24-bookworm',
      install: nodeInstall(node, has),
      command: lane.build,
      output: 'public',
    },
  };
}

const INSTALL_COMPOSER = 'COPY --from=composer:2 /usr/bin/composer /usr/local/bin/composer';

const phpExtensions = (lane: AuthorLane): readonly string[] =>
  [
    ['mysql', 'pdo_mysql'],
    ['postgres', 'pdo_pgsql'],
  ].flatMap(([store = '', extension = '']) => (lane.datastores.includes(store) ? [extension] : []));

/** A release of its own; other start commands keep the whole toolchain. */
export function elixirRecipe(lane: AuthorLane): Recipe {
  const env = { MIX_ENV: 'prod', MIX_HOME: '/opt/mix', HEX_HOME: '/opt/hex', LANG: 'C.UTF-8' };
  const setup = ['mix local.hex --force && mix local.rebar --force'];
  const built = {
    ...stage('elixir:1.18', { env, setup }),
    install: 'mix deps.get --only prod',
  };
  if (lane.start !== 'mix phx.server' && lane.start !== 'mix run --no-halt')
    return recipe(lane, built, {
      ...stage('elixir:1.18', { env }),
      copies: ['/opt/mix', '/opt/hex'],
    });
  return recipe(
    lane,
    { ...built, commands: [...(lane.build === null ? [] : [lane.build]), RELEASE] },
    {
      // A release brings its own runtime, which needs the system libraries it was built with.
      ...stage('elixir:1.18-slim', {
        env: { LANG: 'C.UTF-8', ...(lane.framework === 'phoenix' ? { PHX_SERVER: 'true' } : {}) },
      }),
      copies: ['/release'],
      start: ['/release/bin/convoy-start', 'start'],
    },
  );
}

// The release is named after the application, which only its own files know; its script, unlike
// others beside it, sets the release's name.
const RELEASE =
  'mix release --path /release && ln -s "$(grep -l RELEASE_NAME /release/bin/* | grep -v [.]bat$ | head -n 1)" /release/bin/convoy-start';

export function denoRecipe(lane: AuthorLane): Recipe {
  // Inside the application, so that the run stage finds what the build fetched.
  const env = { DENO_DIR: '/app/.deno', DENO_NO_UPDATE_CHECK: '1' };
  return recipe(
    lane,
    stage('denoland/deno:debian', { env }),
    stage('denoland/deno:debian', { env }),
  );
}
