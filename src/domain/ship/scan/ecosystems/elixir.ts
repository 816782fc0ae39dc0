import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeFile } from '../evidence.ts';
import type { Project } from '../project.ts';

/** What a mix.exs makes of its directory. */
export function elixirVerdict(project: Project): Verdict | undefined {
  if (!project.has('mix.exs')) return undefined;
  const source = project.source('mix.exs');
  const dependencies = [
    ...source.text.matchAll(/\{\s*:(\w+)\s*,(?![^}]*only:\s*\[?:(?:dev|test))/g),
  ].map((match) => match[1] ?? '');
  if (/apps_path:/.test(source.text))
    return other(
      'nothing',
      'the root of an umbrella project',
      cite('deployable', 'false', source, 'apps_path', 'umbrella-root'),
    );
  const role = roleOf(project, dependencies, source.text);
  if (role !== undefined) return service(draftOf(project, dependencies, ...role));
  if (source.text.includes('escript:'))
    return other(
      'cli',
      'a command line tool (an escript)',
      cite('deployable', 'false', source, 'escript:', 'escript'),
    );
  return other(
    'library',
    'an Elixir library',
    cite('deployable', 'false', source, /package:|defmodule/, 'no-application'),
  );
}

function roleOf(
  project: Project,
  dependencies: readonly string[],
  manifest: string,
): readonly ['backend' | 'worker', string | null] | undefined {
  const has = (name: string): boolean => dependencies.includes(name);
  const endpoint = project
    .sources(['.ex'])
    .some(({ text }) =>
      /use Phoenix\.(?:Endpoint|Router)|use \w+Web, :(?:router|controller|endpoint)|Plug\.Cowboy|Bandit\b/.test(
        text,
      ),
    );
  if (endpoint && has('phoenix')) return ['backend', 'phoenix'];
  if (endpoint && (has('plug_cowboy') || has('bandit'))) return ['backend', 'plug'];
  if (!/mod:\s*\{/.test(manifest)) return undefined;
  const work = ['oban', 'broadway', 'exq', 'quantum', 'nostrum'].find(has);
  if (work !== undefined) return ['worker', work];
  return /package:|escript:/.test(manifest) ? undefined : ['worker', null];
}

function draftOf(
  project: Project,
  dependencies: readonly string[],
  kind: 'backend' | 'worker',
  framework: string | null,
): Draft {
  const source = project.source('mix.exs');
  const phoenix = framework === 'phoenix';
  const assets = /["']assets\.deploy["']/.test(source.text);
  const start = phoenix ? 'mix phx.server' : 'mix run --no-halt';
  return {
    kind,
    ecosystem: 'elixir',
    framework,
    packageManager: 'mix',
    install: 'mix deps.get',
    build: phoenix && assets ? 'mix do compile, assets.deploy' : 'mix compile',
    start,
    ...(kind === 'backend' ? { defaultPort: 4000 } : {}),
    dependencies,
    manifest: 'mix.exs',
    evidence: [
      framework === null
        ? citeFile('ecosystem', 'elixir', source.file, 'mix-exs')
        : cite(
            'framework',
            framework,
            source,
            framework === 'plug' ? /plug_cowboy|bandit/ : `:${framework}`,
            'dependency',
          ),
      citeFile('package_manager', 'mix', source.file, 'mix-exs'),
      cite(
        'start',
        start,
        source,
        /mod:|:phoenix|app:/,
        phoenix ? 'phoenix-server' : 'mix-application',
      ),
    ],
  };
}
