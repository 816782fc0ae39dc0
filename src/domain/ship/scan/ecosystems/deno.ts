import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeFile, type Source } from '../evidence.ts';
import { at, type Json, keysOf, stringOf } from '../json.ts';
import type { Evidence } from '../lane.ts';
import { firstOf, type Project, within } from '../project.ts';
import { commandsOf, joined } from '../shell-words.ts';

const FRAMEWORKS: readonly (readonly [string, RegExp])[] = [
  ['fresh', /\$fresh|@fresh\/core|jsr:@fresh/],
  ['hono', /\bhono\b/],
  ['oak', /\boak\b/],
  ['express', /npm:express/],
  ['fastify', /npm:fastify/],
  ['lume', /\blume\b/],
];

/** What a deno.json makes of its directory. */
export function denoVerdict(project: Project): Verdict | undefined {
  const file = firstOf(project, ['deno.json', 'deno.jsonc']);
  const starts = startTask(project, file ?? '');
  // Beside a package.json with its own start, deno.json is only there for its linter or editor.
  const node = stringOf(at(project.data('package.json'), 'scripts', 'start')) !== undefined;
  if (file === undefined || (node && starts === undefined)) return undefined;
  const source = project.source(file);
  const sources = project.sources(['.ts', '.tsx', '.js', '.mjs']);
  const program = sources.find(({ text }) =>
    /Deno\.serve\(|\bserve\(|\.listen\(|export default\s*\{[^}]*fetch|await start\(|new App\(/.test(
      text,
    ),
  );
  const framework = frameworkOf(source, sources);
  if (framework === 'lume') return service(site(project, source));
  if (program !== undefined || framework !== null)
    return service(draftOf(project, source, starts, program, framework));
  const cron = sources.find(({ text }) => /Deno\.cron\(|setInterval\(|listenQueue\(/.test(text));
  if (cron !== undefined)
    return service({ ...draftOf(project, source, starts, cron, null), kind: 'worker' });
  return leftOver(project.data(file), source, starts);
}

function frameworkOf(source: Source, sources: readonly Source[]): string | null {
  const found = FRAMEWORKS.find(([, pattern]) => {
    const imported = new RegExp(String.raw`from\s+['"][^'"]*(?:${pattern.source})`);
    return pattern.test(source.text) || sources.some(({ text }) => imported.test(text));
  });
  return found?.[0] ?? null;
}

function leftOver(data: Json | undefined, source: Source, task: Task | undefined): Verdict {
  if (at(data, 'exports') !== undefined)
    return other(
      'library',
      'a Deno library (deno.json has "exports")',
      cite('deployable', 'false', source, '"exports"', 'library-exports'),
    );
  if (task === undefined)
    return other(
      'nothing',
      'a deno.json without a service',
      citeFile('deployable', 'false', source.file, 'no-service'),
    );
  return other(
    'cli',
    'a command line tool (nothing listens)',
    cite('deployable', 'false', source, '"tasks"', 'deno-cli'),
  );
}

interface Task {
  readonly name: string;
  readonly command: string;
}

function startTask(project: Project, file: string): Task | undefined {
  const tasks = at(project.data(file), 'tasks');
  const command = (name: string): string | undefined =>
    stringOf(at(tasks, name)) ?? stringOf(at(tasks, name, 'command'));
  const written = ['start', 'serve', 'prod', 'start:prod', 'preview', 'run', 'dev'].flatMap(
    (name) => {
      const line = command(name);
      if (line === undefined) return [];
      const inner = /^deno task ([\w:-]+)$/.exec(line)?.[1];
      return [
        {
          name,
          command: joined(commandsOf(inner === undefined ? line : (command(inner) ?? line))),
        },
      ];
    },
  );
  return written.find((task) => !/--watch\b|\bdev\.ts\b/.test(task.command)) ?? written[0];
}

function draftOf(
  project: Project,
  source: Source,
  task: Task | undefined,
  program: Source | undefined,
  framework: string | null,
): Draft {
  const manifest = within(project, source.file);
  const data = project.data(manifest);
  const file = program === undefined ? 'main.ts' : within(project, program.file);
  const start = task?.command ?? `deno run -A ${file}`;
  const build = stringOf(at(data, 'tasks', 'build')) ?? null;
  const where: Evidence =
    task === undefined
      ? cite('start', start, program ?? source, /serve|listen|start/, 'listening-program')
      : cite('start', start, source, `"${task.name}"`, 'deno-task');
  return {
    kind: framework === 'fresh' ? 'frontend' : 'backend',
    ecosystem: 'deno',
    framework,
    packageManager: 'deno',
    install: 'deno install',
    build,
    buildVia: build === null ? null : 'deno task build',
    start,
    startVia: task === undefined ? null : `deno task ${task.name}`,
    entries: [file],
    defaultPort: 8000,
    dependencies: [...keysOf(at(data, 'imports')), ...specifiers(project)],
    manifest,
    evidence: [
      framework === null
        ? citeFile('ecosystem', 'deno', source.file, 'deno-json')
        : cite('framework', framework, source, framework, 'dependency'),
      citeFile('package_manager', 'deno', source.file, 'deno-json'),
      where,
    ],
  };
}

/** Package names out of `npm:pg@8`, `jsr:@db/postgres`, `https://deno.land/x/mongo/mod.ts`. */
function specifiers(project: Project): readonly string[] {
  return [
    ...project.sources(['.ts', '.tsx', '.js']),
    ...['deno.json', 'deno.jsonc'].map((file) => project.source(file)),
  ].flatMap(({ text }) =>
    [...text.matchAll(/['"](?:npm:|jsr:@\w+\/|https:\/\/deno\.land\/x\/)([\w-]+)/g)].map(
      (match) => match[1] ?? '',
    ),
  );
}

function site(project: Project, source: Source): Draft {
  return {
    ...draftOf(project, source, undefined, undefined, 'lume'),
    kind: 'frontend',
    build: 'deno task build',
    start: null,
    staticDir: '_site',
  };
}
