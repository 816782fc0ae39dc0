import type { AuthorLane } from '../lane.ts';
import { lockedIn, recipe, stage, storePackages, type HasFile, type Recipe } from './recipe.ts';

/** Python with pip, uv, poetry or pipenv; the environment they make travels with the application. */
export function pythonRecipe(lane: AuthorLane, has: HasFile): Recipe {
  const tool = toolOf(lane, has);
  const { build, run } = storePackages(lane);
  const env = { ...tool.env, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' };
  return recipe(
    lane,
    {
      ...stage('python:3.13-bookworm', { packages: build, env, setup: tool.setup }),
      install: tool.install,
      caches: tool.caches,
    },
    {
      ...stage('python:3.13-slim-bookworm', {
        packages: run,
        env: { ...env, ...tool.runEnv },
        setup: tool.runSetup,
      }),
      copies: tool.copies,
    },
  );
}

type Tool = {
  readonly env: Readonly<Record<string, string>>;
  readonly runEnv: Readonly<Record<string, string>>;
  readonly setup: readonly string[];
  readonly runSetup: readonly string[];
  readonly install: string | null;
  readonly caches: readonly string[];
  readonly copies: readonly string[];
};

function toolOf(lane: AuthorLane, has: HasFile): Tool {
  const locked = lockedIn(lane, has);
  switch (lane.packageManager) {
    case 'uv':
      return installed('uv', {
        env: { UV_LINK_MODE: 'copy', UV_PYTHON_DOWNLOADS: 'never' },
        // `uv run` must start what was built, not resolve anew.
        runEnv: { UV_NO_SYNC: '1', UV_CACHE_DIR: '/tmp/uv' },
        install: uvSync(lane, locked('uv.lock')),
        caches: ['/root/.cache/uv'],
      });
    case 'poetry':
      return installed('poetry', {
        env: { POETRY_VIRTUALENVS_IN_PROJECT: 'true', POETRY_NO_INTERACTION: '1' },
        runEnv: { POETRY_CACHE_DIR: '/tmp/poetry' },
        install: lane.install ?? 'poetry install',
        caches: ['/root/.cache/pypoetry'],
      });
    case 'pipenv':
      return installed('pipenv', {
        env: { PIPENV_VENV_IN_PROJECT: '1', PIPENV_NOSPIN: '1' },
        runEnv: {},
        install: locked('Pipfile.lock') ? 'pipenv sync' : (lane.install ?? 'pipenv install'),
        caches: ['/root/.cache/pipenv', '/root/.cache/pip'],
      });
    default:
      return {
        env: { VIRTUAL_ENV: '/opt/venv', PATH: '/opt/venv/bin:$PATH' },
        runEnv: {},
        setup: ['python -m venv /opt/venv'],
        runSetup: [],
        install: lane.install,
        caches: ['/root/.cache/pip'],
        copies: ['/opt/venv'],
      };
  }
}

/** A member of a workspace gets its packages only when all members do. */
function uvSync(lane: AuthorLane, locked: boolean): string {
  const member = lane.installPath !== undefined && lane.installPath !== lane.path;
  const flags = [...(locked ? ['--frozen'] : []), ...(member ? ['--all-packages'] : [])];
  return [locked ? 'uv sync' : (lane.install ?? 'uv sync'), ...flags].join(' ');
}

/** A tool that is itself needed at run time, because start commands go through it. */
function installed(name: string, more: Pick<Tool, 'env' | 'runEnv' | 'install' | 'caches'>): Tool {
  const setup = [`pip install --no-cache-dir ${name}`];
  return { ...more, setup, runSetup: setup, copies: [] };
}
