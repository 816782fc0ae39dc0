import { type ComposeService, composeServices } from './compose.ts';
import { storeOfImage } from './datastores.ts';
import type { Draft } from './draft.ts';
import { cite, citeFile } from './evidence.ts';
import type { Evidence, Lane, LaneKind } from './lane.ts';
import { workerFramework } from './processes.ts';
import { baseOf, type Snapshot } from './snapshot.ts';

/** Images that help a developer or stand in front; they are no program of this repository. */
const UTILITY =
  /(^|\/)(adminer|pgadmin4?|phpmyadmin|mailhog|mailpit|maildev|mailcatcher|traefik|nginx|caddy|haproxy|grafana|prometheus|jaeger|zipkin|loki|otel.*|opentelemetry.*|redis-commander|redisinsight|mongo-express|portainer.*|watchtower|kafka-ui|zookeeper|cp-zookeeper|vault|consul|selenium.*|swagger-ui)([-:/]|$)/;

/** Extra processes that a compose file starts from the directory of an existing service. */
export function composeWorkers(
  snapshot: Snapshot,
  path: string,
  drafts: readonly Draft[],
): readonly Draft[] {
  const here = composeServices(snapshot).filter(({ context }) => context === path);
  const main = drafts.find(({ kind }) => kind !== 'worker') ?? drafts[0];
  if (main === undefined || here.length < 2) return drafts;
  const extra = here.filter(
    (service) => service.command !== null && service.port === null && isWork(service),
  );
  const written = drafts.map((draft) => {
    const service = extra.find((one) => draft.startVia == null && sameWork(draft, one));
    return service === undefined
      ? draft
      : { ...workerDraft(draft, service), framework: draft.framework };
  });
  const fresh = extra.filter((service) => !drafts.some((draft) => sameWork(draft, service)));
  return [...written, ...fresh.map((service) => workerDraft(main, service))];
}

const isWork = ({ name, command }: ComposeService): boolean =>
  /worker|queue|cron|schedul|beat|consumer|jobs?|clock|celery|sidekiq/.test(
    `${name} ${command ?? ''}`,
  ) && !/migrat|seed|install/.test(`${name} ${command ?? ''}`);

function sameWork(draft: Draft, { name, command }: ComposeService): boolean {
  if (draft.kind !== 'worker') return false;
  if (draft.start === command || draft.role === name) return true;
  const tool = workerFramework(command ?? '');
  const beat = /\bbeat\b|schedul|cron/;
  return (
    tool !== null &&
    tool === draft.framework &&
    beat.test(command ?? '') === beat.test(draft.start ?? '')
  );
}

function workerDraft(model: Draft, service: ComposeService): Draft {
  const {
    defaultPort: _port,
    defaultHealth: _health,
    staticDir: _files,
    startVia: _via,
    ...rest
  } = model;
  const command = service.command ?? '';
  return {
    ...rest,
    kind: 'worker',
    framework: workerFramework(command) ?? null,
    start: command,
    hooks: [],
    startEnv: {},
    role: service.name,
    evidence: [
      ...model.evidence.filter(({ field }) => field !== 'start' && field !== 'framework'),
      cite('start', command, service.source, `${service.name}:`, 'compose-command'),
    ],
  };
}

/** Lanes of a repository that is nothing but a compose file: ready-made images. */
export function imageLanes(snapshot: Snapshot): readonly Lane[] {
  const services = composeServices(snapshot).filter(
    ({ image, context }) => image !== null && context === null,
  );
  const programs = services.filter(({ image }) => storeOfImage(image ?? '') === undefined);
  const useful = programs.filter(({ image }) => !UTILITY.test(image ?? ''));
  const shown = useful.length > 0 ? useful : programs;
  const stores = services.filter(({ image }) => storeOfImage(image ?? '') !== undefined);
  return [
    ...stores.map((one) => imageLane(one, 'infra', services)),
    ...shown.map((one) => imageLane(one, one.port === null ? 'worker' : 'backend', services)),
  ];
}

function imageLane(
  service: ComposeService,
  kind: LaneKind,
  services: readonly ComposeService[],
): Lane {
  const image = service.image ?? '';
  const at = (field: string, value: string | number, needle: string): Evidence =>
    cite(field, value, service.source, needle, 'compose-image');
  const linked = services
    .filter(({ name }) => service.dependsOn.includes(name))
    .flatMap((one) => storeOfImage(one.image ?? '') ?? []);
  const store = storeOfImage(image);
  const datastores = store === undefined ? [...new Set(linked)].toSorted() : [store];
  const serves = kind === 'backend';
  return {
    name: service.name,
    kind,
    path: '.',
    dependsOn: [],
    ecosystem: 'docker',
    framework: null,
    packageManager: null,
    install: `docker compose -f ${baseOf(service.file)} pull ${service.name}`,
    installPath: '.',
    build: null,
    buildVia: null,
    start: service.command ?? `docker compose -f ${baseOf(service.file)} up ${service.name}`,
    startVia: null,
    startEnv: {},
    hooks: [],
    migrate: null,
    staticDir: null,
    schedule: null,
    port: service.port,
    portBinding: service.port === null ? null : { by: 'fixed' },
    healthPath: serves ? (service.health ?? '/') : null,
    datastores,
    secrets: service.env
      .filter((name) => /PASS|SECRET|KEY|TOKEN|_URL|_URI|DSN/.test(name))
      .toSorted(),
    settings: [],
    dockerfile: null,
    evidence: [
      at('kind', kind, image),
      at('ecosystem', 'docker', image),
      at('start', service.name, `${service.name}:`),
      ...(service.port === null ? [] : [at('port', service.port, String(service.port))]),
      ...datastores.map((one) => at('datastores', one, image)),
    ],
  };
}

const INFRA: readonly (readonly [RegExp, string, string])[] = [
  [/(^|\/)main\.tf$|(^|\/)(providers?|versions|terraform)\.tf$/, 'terraform', 'terraform init'],
  [/(^|\/)Pulumi\.yaml$/, 'pulumi', 'pulumi install'],
  [/(^|\/)cdk\.json$/, 'cdk', 'npm install'],
];

/** Directories with infrastructure as code; modules inside such a directory belong to it. */
export function infraDrafts(snapshot: Snapshot): readonly (Draft & { readonly path: string })[] {
  const found = new Map<string, Draft & { readonly path: string }>();
  for (const file of snapshot.files) {
    const rule = INFRA.find(([pattern]) => pattern.test(file));
    if (rule === undefined || /(^|\/)(modules?|examples?|tests?)\//.test(file)) continue;
    const path = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '.';
    if ([...found.keys()].some((other) => other === path || path.startsWith(`${other}/`))) continue;
    found.set(path, {
      kind: 'infra',
      ecosystem: 'unknown',
      framework: rule[1],
      packageManager: null,
      install: rule[2],
      build: null,
      start: null,
      path,
      dependencies: [],
      manifest: baseOf(file),
      evidence: [citeFile('framework', rule[1], file, 'infrastructure-code')],
    });
  }
  return [...found.values()];
}
