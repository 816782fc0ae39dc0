import { type ComposeService, composeServices } from './compose.ts';
import { storeOfImage } from './datastores.ts';
import type { Dockerfile } from './dockerfile.ts';
import { cite, citeAt } from './evidence.ts';
import type { Evidence } from './lane.ts';
import { type PlatformHints, platformHints } from './platform-configs.ts';
import type { Snapshot } from './snapshot.ts';

/** What stands around a lane's program: container, compose and platform files. */
export interface Outside {
  readonly ports: readonly { readonly port: number; readonly evidence: Evidence }[];
  readonly health: readonly { readonly path: string; readonly evidence: Evidence }[];
  readonly stores: readonly Evidence[];
  readonly start: readonly Evidence[];
  readonly schedule: readonly Evidence[];
}

export function outsideOf(
  snapshot: Snapshot,
  path: string,
  docker: Dockerfile | undefined,
  role: string | undefined,
): Outside {
  const services = composeServices(snapshot);
  const own = servicesAt(services, path, role);
  const hints = platformHints(snapshot, path);
  return {
    ports: [...hints.port.map(asPort), ...dockerPorts(docker), ...own.flatMap(composePort)],
    health: [...hints.health.map(asPath), ...dockerHealth(docker), ...own.flatMap(composeHealth)],
    stores: storesOf(services, path),
    start: startsOf(hints, docker),
    schedule: hints.schedule,
  };
}

function servicesAt(
  services: readonly ComposeService[],
  path: string,
  role: string | undefined,
): readonly ComposeService[] {
  const here = services.filter(({ context }) => context === path);
  const named = here.filter(({ name }) => name === role);
  return named.length > 0
    ? named
    : here.toSorted((a, b) => Number(b.port !== null) - Number(a.port !== null));
}

const asPort = (evidence: Evidence) => ({ port: Number(evidence.value), evidence });
const asPath = (evidence: Evidence) => ({ path: evidence.value, evidence });

function dockerPorts(docker: Dockerfile | undefined): Outside['ports'] {
  if (docker === undefined) return [];
  const env = docker.env.get('PORT') ?? docker.env.get('ASPNETCORE_HTTP_PORTS');
  const url = /:(\d+)/.exec(docker.env.get('ASPNETCORE_URLS')?.value ?? '')?.[1];
  const told = [
    ...(env !== undefined && /^\d+$/.test(env.value)
      ? [{ value: Number(env.value), position: env.position, rule: 'dockerfile-env' }]
      : []),
    ...(url === undefined
      ? []
      : [
          {
            value: Number(url),
            position: docker.env.get('ASPNETCORE_URLS')?.position ?? 0,
            rule: 'dockerfile-env',
          },
        ]),
    ...docker.ports.map((port) => ({ ...port, rule: 'dockerfile-expose' })),
  ];
  return told.map(({ value, position, rule }) => ({
    port: value,
    evidence: citeAt('port', value, docker.source, position, rule),
  }));
}

function dockerHealth(docker: Dockerfile | undefined): Outside['health'] {
  if (docker?.health == null) return [];
  const { value, position } = docker.health;
  return [
    {
      path: value,
      evidence: citeAt('health_path', value, docker.source, position, 'dockerfile-healthcheck'),
    },
  ];
}

function composePort(service: ComposeService): Outside['ports'] {
  if (service.port === null) return [];
  return [
    {
      port: service.port,
      evidence: cite('port', service.port, service.source, String(service.port), 'compose-port'),
    },
  ];
}

function composeHealth(service: ComposeService): Outside['health'] {
  if (service.health === null) return [];
  return [
    {
      path: service.health,
      evidence: cite(
        'health_path',
        service.health,
        service.source,
        service.health,
        'compose-healthcheck',
      ),
    },
  ];
}

/** Stores a compose file starts for this lane: those it depends on, or all of them when it is the only program. */
function storesOf(services: readonly ComposeService[], path: string): readonly Evidence[] {
  const own = services.filter(({ context }) => context === path);
  const programs = new Set(services.flatMap(({ context }) => (context === null ? [] : [context])));
  const linked = new Set(own.flatMap(({ dependsOn }) => dependsOn));
  const alone = programs.size === 0 ? path === '.' : programs.size === 1 && own.length > 0;
  return services
    .filter(({ name }) => linked.has(name) || (alone && linked.size === 0))
    .flatMap((service) => {
      const store = service.image === null ? undefined : storeOfImage(service.image);
      return store === undefined
        ? []
        : [cite('datastores', store, service.source, service.image ?? '', 'compose-image')];
    });
}

function startsOf(hints: PlatformHints, docker: Dockerfile | undefined): readonly Evidence[] {
  if (docker?.start == null) return hints.start;
  return [
    ...hints.start,
    citeAt('start', docker.start.value, docker.source, docker.start.position, 'dockerfile-cmd'),
  ];
}
