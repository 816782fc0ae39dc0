import type { Draft } from './draft.ts';
import type { Ecosystem, Evidence } from './lane.ts';
import { firstOf, type Project } from './project.ts';
import { type ProcessLine, readProcesses } from './procfile.ts';
import { resolveLine, scriptNamed, scriptsOf } from './scripts.ts';
import { joined, variablesOf } from './shell-words.ts';

/** Lets a Procfile have the last word on what runs, and adds the processes only it knows. */
export function withProcesses(project: Project, drafts: readonly Draft[]): readonly Draft[] {
  const lines = readProcesses(project);
  if (lines.length === 0) return drafts;
  const web = lines.find(({ role }) => role === 'web');
  const model =
    drafts.find(({ kind }) => kind !== 'worker') ??
    drafts[0] ??
    unknownDraft(project, web ?? lines[0]);
  const release = lines.find(({ role }) => role === 'release');
  const mains = drafts.filter(({ kind }) => kind !== 'worker');
  const main =
    web === undefined
      ? mains
      : [
          restarted(project, mains[0] ?? { ...model, kind: 'backend' }, web, release),
          ...mains.slice(1),
        ];
  const workers = lines.filter(({ role }) => role === 'worker' || role === 'cron');
  const own = workers.map((line) => workerOf(project, model, line));
  const detected = workers.length > 0 ? [] : drafts.filter(({ kind }) => kind === 'worker');
  return [...main, ...own, ...detected];
}

function restarted(
  project: Project,
  draft: Draft,
  line: ProcessLine,
  release: ProcessLine | undefined,
): Draft {
  const hooks = release === undefined ? [] : [{ script: 'release', command: release.command }];
  const run = runOf(project, draft, line);
  return {
    ...draft,
    ...run,
    hooks: [...(draft.hooks ?? []), ...hooks],
    portInCode: draft.portInCode ?? true,
    evidence: [...draft.evidence.filter(({ field }) => field !== 'start'), run.started],
  };
}

function runOf(
  project: Project,
  draft: Draft,
  line: ProcessLine,
): Pick<Draft, 'start' | 'startVia' | 'startEnv'> & { started: Evidence } {
  const scripts = scriptsOf(project);
  const commands = resolveLine(scripts, line.command);
  const script = scriptNamed(scripts, line.command);
  const start = joined(commands);
  return {
    start,
    startVia: script === undefined ? null : `${draft.packageManager ?? 'npm'} run ${script}`,
    startEnv: variablesOf(commands),
    started: { ...line.evidence, value: start },
  };
}

function workerOf(project: Project, model: Draft, line: ProcessLine): Draft {
  const { defaultPort: _port, defaultHealth: _health, staticDir: _files, ...rest } = model;
  const run = runOf(project, model, line);
  return {
    ...rest,
    ...run,
    kind: 'worker',
    framework: workerFramework(line.command) ?? (model.kind === 'worker' ? model.framework : null),
    hooks: [],
    role: line.name,
    evidence: [
      ...model.evidence.filter(({ field }) => field !== 'start' && field !== 'framework'),
      run.started,
    ],
  };
}

/** The tool whose name starts a worker's command. */
export function workerFramework(command: string): string | null {
  const found =
    /\b(celery|sidekiq|resque|rq|dramatiq|huey|arq|good_job|shoryuken|karafka|bullmq)\b/.exec(
      command,
    )?.[1];
  if (found !== undefined) return found;
  return /artisan (queue|horizon|schedule)/.test(command) ? 'laravel' : null;
}

const BY_COMMAND: readonly (readonly [RegExp, Ecosystem, string])[] = [
  [
    /\b(gunicorn|uvicorn|python3?|celery|flask|waitress-serve|daphne|hypercorn|streamlit)\b/,
    'python',
    'requirements.txt',
  ],
  [/\b(node|npm|yarn|pnpm|next|tsx)\b/, 'node', 'package.json'],
  [/\b(bundle|rails|puma|rackup|ruby|sidekiq)\b/, 'ruby', 'Gemfile'],
  [/\b(php|heroku-php-\w+)\b/, 'php', 'composer.json'],
  [/\bjava\b/, 'jvm', 'pom.xml'],
  [/\bdotnet\b/, 'dotnet', ''],
  [/\b(mix|elixir)\b/, 'elixir', 'mix.exs'],
  [/\bdeno\b/, 'deno', 'deno.json'],
  [/^(\.\/)?bin\/\w+/, 'go', 'go.mod'],
];

const INSTALLS: Readonly<Record<string, string>> = {
  'requirements.txt': 'pip install -r requirements.txt',
  'package.json': 'npm install',
  Gemfile: 'bundle install',
  'composer.json': 'composer install',
  'mix.exs': 'mix deps.get',
  'go.mod': 'go mod download',
};

/** A service that nothing but its Procfile describes. */
function unknownDraft(project: Project, line: ProcessLine | undefined): Draft {
  const command = line?.command ?? '';
  const found = BY_COMMAND.find(([pattern]) => pattern.test(command));
  const manifest = found === undefined ? undefined : firstOf(project, [found[2]]);
  return {
    kind: 'backend',
    ecosystem: found?.[1] ?? 'unknown',
    framework: null,
    packageManager: null,
    install: manifest === undefined ? null : (INSTALLS[manifest] ?? null),
    build: null,
    start: command,
    dependencies: [],
    manifest: manifest ?? 'Procfile',
    evidence:
      line === undefined
        ? []
        : [
            {
              ...line.evidence,
              field: 'ecosystem',
              value: found?.[1] ?? 'unknown',
              rule: 'procfile-command',
            },
          ],
  };
}
