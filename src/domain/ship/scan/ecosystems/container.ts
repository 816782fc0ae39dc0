import { type Dockerfile, readDockerfile } from '../dockerfile.ts';
import { type Draft, service, type Verdict } from '../draft.ts';
import { citeAt, citeFile } from '../evidence.ts';
import type { LaneKind } from '../lane.ts';
import { firstOf, type Project } from '../project.ts';

/** The Dockerfile of a directory, the plain one before those for other purposes. */
export function dockerfileOf(project: Project): Dockerfile | undefined {
  const file = firstOf(project, [
    'Dockerfile',
    'Containerfile',
    'Dockerfile.prod',
    'Dockerfile.production',
    'docker/Dockerfile',
    '.docker/Dockerfile',
    'deploy/Dockerfile',
    'build/Dockerfile',
  ]);
  return file === undefined ? undefined : readDockerfile(project.source(file));
}

/** A directory about which only its Dockerfile says something. */
export function dockerVerdict(project: Project): Verdict | undefined {
  const docker = dockerfileOf(project);
  if (docker === undefined || (isChore(project.path) && docker.ports.length === 0))
    return undefined;
  return service(containerDraft(project, docker));
}

// Images that fill, move or test something end by themselves; nobody deploys them as a service.
const isChore = (path: string): boolean =>
  /(^|\/|-)(seed|migrat|init|backup|selenium|tests?|load)[\w-]*$/.test(path);

function containerDraft(project: Project, docker: Dockerfile): Draft {
  const { source, start } = docker;
  const file = source.file.slice(project.path === '.' ? 0 : project.path.length + 1);
  return {
    kind: kindOf(project, docker),
    ecosystem: 'docker',
    framework: null,
    packageManager: null,
    install: null,
    build: `docker build -f ${file} .`.replace('-f Dockerfile ', ''),
    start: start?.value ?? null,
    ...imagePort(docker),
    dependencies: [],
    manifest: file,
    evidence: [
      citeFile('ecosystem', 'docker', source.file, 'dockerfile'),
      ...(start === null
        ? []
        : [citeAt('start', start.value, source, start.position, 'dockerfile-cmd')]),
    ],
  };
}

/** Servers that are images already listen where their maker says. */
const IMAGE_PORTS: readonly (readonly [RegExp, number])[] = [
  [
    /^(?:[\w.-]+\/)*(nginx|caddy|httpd|traefik|php:[\w.-]*apache|wordpress|ghost:[\w.-]*nginx)\b/,
    80,
  ],
  [/^(?:[\w.-]+\/)*nginx-unprivileged\b/, 8080],
  [/^(?:[\w.-]+\/)*(tomcat|jetty|keycloak|jenkins)\b/, 8080],
];

function imagePort({ base }: Dockerfile): { readonly defaultPort?: number } {
  const known = IMAGE_PORTS.find(([image]) => image.test(base ?? ''))?.[1];
  return known === undefined ? {} : { defaultPort: known };
}

function kindOf(project: Project, docker: Dockerfile): LaneKind {
  const server = /^(?:[\w.-]+\/)*(nginx|caddy|httpd|traefik|haproxy|envoy)\b/.test(
    docker.base ?? '',
  );
  if (server) return project.files.some((file) => file.endsWith('.html')) ? 'frontend' : 'infra';
  const command = docker.start?.value ?? '';
  return docker.ports.length === 0 && /worker|consumer|cron|queue/.test(command)
    ? 'worker'
    : 'backend';
}
