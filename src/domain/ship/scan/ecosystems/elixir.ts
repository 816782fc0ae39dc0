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
  const endpoint = project
    .sources(['.ex'])
    .some(({ text }) => /use Phoenix\.Endpoint|Plug\.Cowboy|Bandit\b/.test(text));
  if (dependencies.includes('phoenix') && endpoint)
    return service(draftOf(project, dependencies, 'backend', 'phoenix'));
  if ((dependencies.includes('plug_cowboy') || dependencies.includes('bandit')) && endpoint)
    return service(draftOf(project, dependencies, 'backend', 'plug'));
  const work = ['oban', 'broadway', 'exq', 'quantum', 'nostrum'].find((name) =>
    dependencies.includes(name),
  );
  const supervised = /mod:\s*\{/.test(source.text);
  if (work !== undefined && supervised)
    return service(draftOf(project, dependencies, 'worker', work));
  if (/escript:/.test(source.text))
    return other(
      'cli',
      'a command line tool (an escript)',
      cite('deployable', 'false', source, 'escript:', 'escript'),
    );
  if (supervised && !/package:/.test(source.text))
    return service(draftOf(project, dependencies, 'worker', null));
  return other(
    'library',
    'an Elixir library',
    cite('deployable', 'false', source, /package:|defmodule/, 'no-application'),
  );
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
