import { isStatic, portOf, type AuthorLane } from '../lane.ts';
import type { LaneLayout } from '../layout.ts';
import { inDirectory, relativeTo } from '../paths.ts';
import type { AssetStage, HasFile, Recipe, Stage } from '../recipes/recipe.ts';
import { recipeFor, STATIC_SERVER } from '../recipes/recipe-for.ts';
import { argvOf, runArguments, startCommand } from './command-line.ts';

// A number, so that the same line works in every base image.
const USER = '10001:10001';

/** An image in two stages that runs without root, or null when no recipe fits the lane. */
export function dockerfile(layout: LaneLayout, has: HasFile): string | null {
  const { lane } = layout;
  const made = recipeFor(lane, has);
  const served = isStatic(lane);
  if (made === null || (!served && lane.start === null && made.run.start === undefined))
    return null;
  const plain = served && lane.ecosystem === 'static' && lane.build === null;
  const blocks = [
    [
      `# Written by Convoy for the lane "${lane.name}". Edit it and it is yours.`,
      `# docker build --file ${JSON.stringify(layout.dockerfile)} ${JSON.stringify(layout.context)}`,
    ],
    ...(made.assets === undefined ? [] : [assetStage(layout, made.assets)]),
    ...(plain ? [] : [buildStage(layout, made)]),
    served ? servingStage(layout, plain) : runStage(layout, made),
  ];
  return `${blocks.map((lines) => withoutRepeats(lines).join('\n')).join('\n\n')}\n`;
}

/** Standing where one stands already needs no line. */
function withoutRepeats(lines: readonly string[]): readonly string[] {
  return lines.filter((line, at) => {
    const before = lines.slice(0, at).findLast((other) => other.startsWith('WORKDIR '));
    return !(line.startsWith('WORKDIR ') && line === before);
  });
}

function assetStage(layout: LaneLayout, assets: AssetStage): readonly string[] {
  return [
    `FROM ${assets.image} AS assets`,
    workdir('/app'),
    'COPY . .',
    workdir(laneHome(layout)),
    `RUN ${runArguments(assets.install)}`,
    ...variables({ PATH: binPath(layout) }),
    `RUN ${runArguments(assets.command)}`,
  ];
}

function buildStage(layout: LaneLayout, { build, assets }: Recipe): readonly string[] {
  const mounts = build.caches.map((target) => `--mount=type=cache,target=${target} `).join('');
  const home = laneHome(layout);
  return [
    `FROM ${build.image} AS build`,
    ...prepared(build, layout),
    workdir('/app'),
    'COPY . .',
    ...(build.install === null
      ? []
      : [workdir(installHome(layout)), `RUN ${mounts}${runArguments(build.install)}`]),
    workdir(home),
    ...build.commands.map((command) => `RUN ${mounts}${runArguments(command)}`),
    ...(assets === undefined
      ? []
      : [`COPY --from=assets ${pair(`${home}/${assets.output}`, `${home}/${assets.output}`)}`]),
    ...build.tidy.map((command) => `RUN ${runArguments(command)}`),
  ];
}

function runStage(layout: LaneLayout, { run }: Recipe): readonly string[] {
  const { lane } = layout;
  const port = portOf(lane);
  const command = run.start ?? argvOf(startCommand(lane) ?? '');
  return [
    `FROM ${run.image}`,
    ...prepared({ ...run, env: { ...run.env, ...portVariable(lane), ...lane.startEnv } }, layout),
    ...variables({ HOME: '/tmp' }),
    ...['/app', ...run.copies].map(
      (path) => `COPY --from=build --chown=${USER} ${pair(path, path)}`,
    ),
    workdir(laneHome(layout)),
    `USER ${USER}`,
    ...(port === null ? [] : [`EXPOSE ${port}`]),
    `CMD ${JSON.stringify(command)}`,
  ];
}

/** Frameworks whose pages are all one file; the others have a file for each. */
const ONE_PAGE = new Set([
  'vite',
  'create-react-app',
  'angular',
  'vue',
  'react',
  'svelte',
  'blazor',
]);

function servingStage(layout: LaneLayout, plain: boolean): readonly string[] {
  const { lane } = layout;
  const port = portOf(lane) ?? 8080;
  const files = joined(laneHome(layout), lane.staticDir ?? '.');
  const copy = plain
    ? `COPY ${pair(`${relativeTo('/app', files)}/`, '/srv/')}`
    : `COPY --from=build ${pair(`${files}/`, '/srv/')}`;
  const fallback = ONE_PAGE.has(lane.framework ?? '')
    ? String.raw`\n\ttry_files {path} /index.html`
    : '';
  return [
    `FROM ${STATIC_SERVER}`,
    copy,
    String.raw`RUN printf ':${port} {\n\troot * /srv${fallback}\n\tfile_server\n}\n' > /etc/caddy/Caddyfile`,
    ...variables({ HOME: '/tmp', XDG_CONFIG_HOME: '/tmp', XDG_DATA_HOME: '/tmp' }),
    `USER ${USER}`,
    `EXPOSE ${port}`,
    'CMD ["caddy","run","--config","/etc/caddy/Caddyfile","--adapter","caddyfile"]',
  ];
}

function prepared(stage: Stage, layout: LaneLayout): readonly string[] {
  const packages = stage.packages.toSorted().join(' ');
  const node = layout.lane.ecosystem === 'node' ? { PATH: binPath(layout) } : {};
  return [
    ...variables({ ...node, ...stage.env }),
    ...(packages === ''
      ? []
      : [
          `RUN apt-get update && apt-get install --yes --no-install-recommends ${packages} && rm -rf /var/lib/apt/lists/*`,
        ]),
    ...stage.setup.map((line) => (line.startsWith('COPY ') ? line : `RUN ${line}`)),
  ];
}

/** Build and start commands name programs of the project's own packages. */
function binPath(layout: LaneLayout): string {
  const homes = [...new Set([laneHome(layout), installHome(layout)])];
  return [...homes.map((home) => `${escaped(home)}/node_modules/.bin`), '$PATH'].join(':');
}

function portVariable(lane: AuthorLane): Record<string, string> {
  const port = portOf(lane);
  if (port === null || lane.portBinding?.by === 'fixed') return {};
  const name = lane.portBinding?.by === 'env' ? lane.portBinding.name : 'PORT';
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? { [name]: String(port) } : {};
}

const laneHome = ({ lane, context }: LaneLayout): string => inApp(relativeTo(context, lane.path));

const installHome = ({ lane, context }: LaneLayout): string =>
  inApp(relativeTo(context, lane.installPath ?? lane.path));

const inApp = (path: string): string => (path === '.' ? '/app' : `/app/${path}`);

/** Follows `.` and `..` inside the image; never above the application. */
function joined(home: string, path: string): string {
  const parts: string[] = home.split('/').slice(2);
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return inDirectory('/app', parts.join('/')).replace(/\/$/, '');
}

const escaped = (path: string): string => path.replaceAll(/[$"\\`]/g, String.raw`\$&`);

const workdir = (path: string): string => `WORKDIR ${path.replaceAll('$', String.raw`\$`)}`;

const pair = (from: string, to: string): string =>
  /^[\w@%+:,./-]+$/.test(from) ? `${from} ${to}` : JSON.stringify([from, to]);

/** Values stand in quotes; only `$PATH` may refer to what was before. */
function variables(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env)
    .filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    .map(([name, value]) =>
      name === 'PATH' ? `ENV PATH="${value}"` : `ENV ${name}="${escaped(value)}"`,
    );
}
