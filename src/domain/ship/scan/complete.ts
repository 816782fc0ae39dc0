import { findDatastores } from './datastores.ts';
import type { Draft } from './draft.ts';
import { dockerfileOf } from './ecosystems/container.ts';
import { findEnvNames } from './env-names.ts';
import { findHealth } from './health.ts';
import type { Evidence, Lane, PortBinding, Risk } from './lane.ts';
import { type Outside, outsideOf } from './outside.ts';
import { findPort } from './port.ts';
import { openProject, type Project } from './project.ts';
import { resolveLine, scriptNamed, scriptsOf } from './scripts.ts';
import { joined } from './shell-words.ts';

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
  const serves = draft.kind === 'backend' || draft.kind === 'frontend';
  const port = serves && draft.start !== null ? findPort(scope, draft, outside.ports) : null;
  const health = serves
    ? findHealth(scope, draft, draft.staticDir == null ? outside.health : [])
    : null;
  const stores = findDatastores(scope, draft, outside.stores);
  const env = findEnvNames(scope, draft.ecosystem);
  const schedule = outside.schedule[0] ?? draft.evidence.find(({ field }) => field === 'schedule');
  const lane: Lane = {
    name,
    ...factsOf(scope, draft),
    schedule: draft.schedule ?? schedule?.value ?? null,
    port: port?.port ?? null,
    portBinding: port === null ? null : (port.binding ?? { by: 'fixed' }),
    healthPath: health?.path ?? null,
    datastores: stores.names,
    secrets: env.secrets,
    settings: env.settings,
    dockerfile: docker?.source.file ?? null,
    evidence: [
      ...kindEvidence(scope, draft),
      ...draft.evidence,
      ...[port?.evidence, health?.evidence].filter((one) => one !== undefined),
      ...stores.evidence,
      ...env.evidence,
      ...outside.schedule,
    ],
  };
  return { lane, risks: risksOf(lane, outside, port?.binding ?? null) };
}

function factsOf(
  scope: Project,
  draft: Draft,
): Omit<
  Lane,
  | 'name'
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
  const explicit = told.rule !== 'dockerfile-cmd';
  if (draft.start !== null && !explicit) return draft;
  const scripts = scriptsOf(project);
  const script = scriptNamed(scripts, told.value);
  const commands = resolveLine(scripts, told.value);
  const start = joined(commands);
  return {
    ...draft,
    start,
    startVia: script === undefined ? null : `${draft.packageManager ?? 'npm'} run ${script}`,
    startEnv: Object.assign({}, ...commands.map(({ env }) => env)) as Record<string, string>,
    evidence: [
      ...draft.evidence.filter(({ field }) => field !== 'start'),
      { ...told, value: start },
    ],
  };
}

function risksOf(lane: Lane, outside: Outside, binding: PortBinding | null): readonly Risk[] {
  const risks: Risk[] = [];
  const warn = (
    level: Risk['level'],
    code: string,
    message: string,
    files: readonly string[],
  ): void => {
    risks.push({ level, code, message, lane: lane.name, files });
  };
  const needsProcess = lane.kind !== 'infra' && lane.staticDir === null;
  if (needsProcess && lane.start === null)
    warn('warn', 'no-start-command', `No start command was found for ${lane.name}.`, []);
  const cmd = outside.start.find(({ rule }) => rule === 'dockerfile-cmd');
  if (
    cmd !== undefined &&
    lane.start !== null &&
    lane.ecosystem !== 'docker' &&
    !agrees(cmd.value, lane)
  )
    warn(
      'note',
      'dockerfile-disagrees',
      `The Dockerfile starts "${cmd.value}", the project itself "${lane.start}".`,
      [cmd.file],
    );
  const exposed = outside.ports.filter(({ evidence }) => evidence.rule === 'dockerfile-expose');
  if (lane.port !== null && exposed.length > 0 && !exposed.some(({ port }) => port === lane.port))
    warn(
      'warn',
      'port-disagrees',
      `The program listens on ${lane.port}, the Dockerfile exposes ${exposed.map(({ port }) => port).join(', ')}.`,
      exposed.map(({ evidence }) => evidence.file),
    );
  if (lane.port !== null && binding?.by === 'fixed')
    warn(
      'note',
      'fixed-port',
      `${lane.name} always listens on ${lane.port}; a platform cannot choose the port.`,
      [],
    );
  if (
    /\b(nodemon|--watch|runserver|next dev|vite dev|ng serve|react-scripts start|artisan serve|php -S)\b/.test(
      lane.start ?? '',
    )
  )
    warn('note', 'development-server', `"${lane.start}" is a server for development.`, []);
  return risks;
}

function agrees(cmd: string, lane: Lane): boolean {
  const start = lane.start ?? '';
  return (
    cmd.includes(start) ||
    start.includes(cmd) ||
    lane.startVia === cmd ||
    /\b(npm|yarn|pnpm|bun)\b.*\bstart\b/.test(cmd)
  );
}
