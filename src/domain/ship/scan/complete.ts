import { findDatastores } from './datastores.ts';
import type { Draft } from './draft.ts';
import { dockerfileOf } from './ecosystems/container.ts';
import { findEnvNames } from './env-names.ts';
import { findHealth } from './health.ts';
import { at, keysOf } from './json.ts';
import type { Evidence, Lane, Risk } from './lane.ts';
import { laneRisks } from './lane-risks.ts';
import { findMigration } from './migrations.ts';
import { type Outside, outsideOf } from './outside.ts';
import { findPort } from './port.ts';
import { openProject, type Project } from './project.ts';
import { resolveLine, scriptNamed, scriptsOf } from './scripts.ts';
import { joined, variablesOf } from './shell-words.ts';
import { workspaceLibraries } from './workspace-libraries.ts';

export interface Completed {
  readonly lane: Lane;
  readonly risks: readonly Risk[];
}

/** Fills in what every ecosystem shares: port, health path, stores, variables. */
export function complete(project: Project, given: Draft, name: string): Completed {
  const scope = given.path === undefined ? project : openProject(project.snapshot, given.path);
  const docker = dockerfileOf(scope);
  const outside = outsideOf(project.snapshot, scope.path, docker, given.role);
  const draft = withOutsideStart(scope, given, outside);
  const address = addressOf(scope, draft, outside);
  const needs = needsOf(scope, draft, outside);
  const migration = needs.facts.datastores.length === 0 ? null : findMigration(scope, draft);
  const lane: Lane = {
    name,
    ...factsOf(scope, draft),
    ...needs.facts,
    ...address.facts,
    migrate: migration?.command ?? null,
    schedule: scheduleOf(draft, outside),
    dockerfile: docker?.source.file ?? null,
    evidence: [
      ...kindEvidence(scope, draft),
      ...draft.evidence,
      ...address.evidence,
      ...needs.evidence,
      ...(migration === null ? [] : [migration.evidence]),
      ...outside.schedule,
    ],
  };
  return { lane, risks: laneRisks(lane, outside) };
}

function scheduleOf(draft: Draft, outside: Outside): string | null {
  const told = outside.schedule[0] ?? draft.evidence.find(({ field }) => field === 'schedule');
  return draft.schedule ?? told?.value ?? null;
}

interface Part<Fields extends keyof Lane> {
  readonly facts: Pick<Lane, Fields>;
  readonly evidence: readonly Evidence[];
}

/** Where a lane is asked for requests; a worker or infrastructure is not. */
function addressOf(
  scope: Project,
  draft: Draft,
  outside: Outside,
): Part<'port' | 'portBinding' | 'healthPath'> {
  if (draft.kind !== 'backend' && draft.kind !== 'frontend')
    return { facts: { port: null, portBinding: null, healthPath: null }, evidence: [] };
  const runs = draft.start !== null || draft.ecosystem === 'docker';
  const port = !runs ? null : findPort(scope, draft, outside.ports);
  const health = findHealth(scope, draft, draft.staticDir == null ? outside.health : []);
  const facts = {
    port: port?.port ?? null,
    portBinding: port === null ? null : (port.binding ?? { by: 'fixed' as const }),
    healthPath: health.path,
  };
  return { facts, evidence: [...(port === null ? [] : [port.evidence]), health.evidence] };
}

/** What a lane needs from others, its own files and those of the libraries it is built from. */
function needsOf(
  scope: Project,
  draft: Draft,
  outside: Outside,
): Part<'datastores' | 'secrets' | 'settings'> {
  const libraries = workspaceLibraries(scope.snapshot, draft);
  const stores = [
    findDatastores(scope, draft, outside.stores),
    ...libraries.map((library) => findDatastores(library, libraryDraft(library, draft), [])),
  ];
  const names = [scope, ...libraries].map((part) => findEnvNames(part, draft.ecosystem));
  return {
    facts: {
      datastores: united(stores.map((one) => one.names)),
      secrets: united(names.map((one) => one.secrets)),
      settings: united(names.map((one) => one.settings)),
    },
    evidence: firstOfEach([...stores, ...names].flatMap((one) => one.evidence)),
  };
}

const united = (lists: readonly (readonly string[])[]): readonly string[] =>
  [...new Set(lists.flat())].toSorted();

function libraryDraft(library: Project, draft: Draft): Draft {
  const dependencies = keysOf(at(library.data('package.json'), 'dependencies'));
  return { ...draft, manifest: 'package.json', dependencies };
}

function firstOfEach(evidence: readonly Evidence[]): readonly Evidence[] {
  const seen = new Set<string>();
  return evidence.filter(({ field, value }) => {
    const key = `${field} ${value}`;
    return !seen.has(key) && seen.add(key);
  });
}

function factsOf(
  scope: Project,
  draft: Draft,
): Omit<
  Lane,
  | 'name'
  | 'migrate'
  | 'schedule'
  | 'port'
  | 'portBinding'
  | 'healthPath'
  | 'datastores'
  | 'secrets'
  | 'settings'
  | 'dockerfile'
  | 'evidence'
> {
  return {
    kind: draft.kind,
    path: draft.path ?? scope.path,
    dependsOn: [],
    ecosystem: draft.ecosystem,
    framework: draft.framework,
    packageManager: draft.packageManager,
    install: draft.install,
    installPath: draft.installPath ?? scope.path,
    build: draft.build,
    buildVia: draft.buildVia ?? null,
    start: draft.start,
    startVia: draft.startVia ?? null,
    startEnv: draft.startEnv ?? {},
    hooks: draft.hooks ?? [],
    staticDir: draft.staticDir ?? null,
  };
}

function kindEvidence(scope: Project, draft: Draft): readonly Evidence[] {
  const [first] = draft.evidence;
  if (first === undefined) return [];
  const common = { file: first.file, line: first.line, excerpt: first.excerpt };
  const path: Evidence = {
    field: 'path',
    value: draft.path ?? scope.path,
    rule: 'manifest-directory',
    ...common,
  };
  const kind: Evidence = { field: 'kind', value: draft.kind, rule: first.rule, ...common };
  const ecosystem: Evidence = {
    field: 'ecosystem',
    value: draft.ecosystem,
    rule: first.rule,
    ...common,
  };
  return draft.evidence.some(({ field }) => field === 'ecosystem')
    ? [kind, path]
    : [kind, path, ecosystem];
}

// Where the program itself has no start, the platform's or the container's command is the best we know.
function withOutsideStart(project: Project, draft: Draft, outside: Outside): Draft {
  const [told] = outside.start;
  const files = draft.staticDir != null;
  if (told === undefined || draft.kind === 'worker' || files) return draft;
  const command = told.rule === 'dockerfile-cmd' ? containerCommand(draft, told.value) : told.value;
  if (command === undefined) return draft;
  const scripts = scriptsOf(project);
  const script = scriptNamed(scripts, command);
  const commands = resolveLine(scripts, command);
  const start = joined(commands);
  return {
    ...draft,
    start,
    startVia: script === undefined ? null : `${draft.packageManager ?? 'npm'} run ${script}`,
    startEnv: variablesOf(commands),
    evidence: [
      ...draft.evidence.filter(({ field }) => field !== 'start'),
      { ...told, value: start },
    ],
  };
}

/** Rules that put a start command together because nobody wrote one down. */
const GUESSES = new Set([
  'application-object',
  'django-server',
  'entry-file',
  'rails-application',
  'config-ru',
  'ruby-program',
]);
const RUNS_OUTSIDE =
  /^(gunicorn|uvicorn|hypercorn|daphne|waitress-serve|python3?|flask|fastapi|streamlit|uv run|poetry run|pipenv run|bundle exec|(\.\/)?bin\/rails|rails|puma|rackup|ruby|node|npm|yarn|pnpm|bun|tsx)\b/;
const PREFIXES: Readonly<Record<string, string>> = {
  uv: 'uv run ',
  poetry: 'poetry run ',
  pipenv: 'pipenv run ',
  pdm: 'pdm run ',
};

// What a person wrote into the container file beats our guess, if it would run outside the container too.
function containerCommand(draft: Draft, cmd: string): string | undefined {
  if (draft.start === null) return cmd;
  const guessed = draft.evidence.some(({ field, rule }) => field === 'start' && GUESSES.has(rule));
  if (!guessed || !RUNS_OUTSIDE.test(cmd) || /runserver|--reload/.test(cmd)) return undefined;
  const prefix = draft.ecosystem === 'python' ? (PREFIXES[draft.packageManager ?? ''] ?? '') : '';
  return cmd.startsWith(prefix) ? cmd : prefix + cmd;
}
