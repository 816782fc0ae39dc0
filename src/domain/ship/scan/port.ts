import type { Draft } from './draft.ts';
import { cite, citeAt, citeFile, type Source } from './evidence.ts';
import type { Evidence, PortBinding } from './lane.ts';
import { configuredPort } from './port-config.ts';
import { PORT_PATTERNS } from './port-patterns.ts';
import type { Project } from './project.ts';
import { programEndings } from './program-endings.ts';
import { withoutRemarks } from './without-comments.ts';

/** A port, how the process is told about it, and why we think so. */
export interface PortFound {
  readonly port: number;
  readonly binding: PortBinding | null;
  readonly evidence: Evidence;
}

/** What the surroundings (Dockerfile, compose, platform files) say about the port. */
export type OutsidePort = Pick<PortFound, 'port' | 'evidence'>;

// Ports that belong to a data store or mail server next door, whatever the line looks like.
const FOREIGN = new Set([
  25, 465, 587, 1025, 1433, 2181, 3306, 4222, 5432, 5672, 6379, 8025, 9092, 9200, 11211, 15672,
  27017,
]);

/** The port a lane listens on, from the strongest source that names one. */
export function findPort(
  project: Project,
  draft: Draft,
  outside: readonly OutsidePort[],
): PortFound | null {
  const sources = rankedSources(project, draft);
  const found =
    portInCommand(project, draft) ??
    (draft.portInCode === false ? null : portInCode(sources)) ??
    configuredPort(project, draft) ??
    outsidePort(draft, outside) ??
    defaultPort(project, draft);
  return found && { ...found, binding: found.binding ?? bindingOf(draft, sources) };
}

// A preview server has its own port, whatever the container in front of the built files exposes.
function outsidePort(draft: Draft, outside: readonly OutsidePort[]): PortFound | null {
  const [first] = /\bpreview\b/.test(draft.start ?? '') ? [] : outside;
  return first === undefined ? null : { ...first, binding: null };
}

function defaultPort(project: Project, draft: Draft): PortFound | null {
  const port = draft.defaultPort ?? toolPort(draft.start ?? '');
  if (port === undefined) return null;
  const file = draft.evidence[0]?.file ?? project.source(draft.manifest).file;
  return { port, binding: null, evidence: citeFile('port', port, file, 'framework-default') };
}

/** Servers that are started by name listen where their manual says. */
const TOOL_PORTS: readonly (readonly [RegExp, number])[] = [
  [
    /\b(fastify start|json-server|react-router-serve|remix-serve|nuxt start|next start|keystone start)\b/,
    3000,
  ],
  [/\bhttp-server\b/, 8080],
  [/\b(npx serve|^serve)\b/, 3000],
  [/\bstrapi start\b/, 1337],
  [/\bmedusa start\b/, 9000],
  [/\b(gunicorn|uvicorn|hypercorn|daphne)\b/, 8000],
  [/\bpuma\b/, 9292],
];

const toolPort = (start: string): number | undefined =>
  TOOL_PORTS.find(([pattern]) => pattern.test(start))?.[1];

function portInCommand(project: Project, draft: Draft): PortFound | null {
  const cited = draft.evidence.find(({ field }) => field === 'start');
  const source: Source = project.source(draft.manifest);
  const told = (port: string | undefined, binding: PortBinding): PortFound | null => {
    if (port === undefined) return null;
    const evidence: Evidence =
      cited === undefined
        ? cite('port', port, source, port, 'start-command')
        : { ...cited, field: 'port', value: port, rule: 'start-command' };
    return { port: Number(port), binding, evidence };
  };
  const fromEnv = draft.startEnv?.['PORT'];
  if (fromEnv !== undefined && /^\d+$/.test(fromEnv))
    return told(fromEnv, { by: 'env', name: 'PORT' });
  const start = draft.start ?? '';
  const withDefault =
    /(?:--port|-p|--bind|-b|--listen|-l|:)[ =]?[\w.:/]*\$\{(\w*PORT):?-(\d{2,5})\}/.exec(start);
  if (withDefault !== null)
    return told(withDefault[2], { by: 'env', name: withDefault[1] ?? 'PORT' });
  const flag = /\s(--port|-p|--http-port|--server\.port|-Dserver\.port)[ =](\d{2,5})\b/.exec(start);
  if (flag !== null) return told(flag[2], { by: 'flag', flag: flag[1] ?? '--port' });
  const address =
    /\s(?:(-b|--bind|-l|--listen|--host|-S|runserver|-tcp|--listen-tcp)[ =])?(?:tcp:\/\/)?(?:0\.0\.0\.0|127\.0\.0\.1|localhost|\[::\]|\*)?:(\d{2,5})\b/.exec(
      start,
    );
  return address === null ? null : told(address[2], { by: 'fixed' });
}

function bindingOf(draft: Draft, sources: readonly Source[]): PortBinding | null {
  if (/\$\{?PORT\b/.test(draft.start ?? '')) return { by: 'env', name: 'PORT' };
  if (draft.defaultBinding !== undefined) return draft.defaultBinding;
  const reads = sources.some(({ text }) =>
    /(env|ENV|environ|getenv|Getenv|var|get_env)[\w.([{'":]*['".]PORT\b/.test(text),
  );
  return reads ? { by: 'env', name: 'PORT' } : null;
}

// The file where the process begins knows best; then those that open a socket; then the shallow ones.
export function rankedSources(project: Project, draft: Draft): readonly Source[] {
  const begins = (draft.entries ?? []).map((entry) => project.source(entry));
  const entries = new Set(begins.map(({ file }) => file));
  const others = project
    .sources(programEndings(draft.ecosystem))
    .filter(({ file }) => !entries.has(file));
  const rank = ({ file, text }: Source): number => {
    if (entries.has(file)) return 0;
    if (/\b(listen|serve|Listen|ListenAndServe|run|Run|bind)\s*\(/.test(text)) return 1;
    return 2;
  };
  return [...begins, ...others]
    .map((source) => ({ source, rank: rank(source) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ source }) => source);
}

function portInCode(sources: readonly Source[]): PortFound | null {
  for (const source of sources) {
    const text = withoutRemarks(source.text, source.file);
    for (const { pattern, rule, env } of PORT_PATTERNS) {
      for (const match of text.matchAll(pattern)) {
        const port = Number(match.groups?.['port']);
        const name = match.groups?.['name'];
        if (FOREIGN.has(port) || port > 65_535 || (name !== undefined && isForeignName(name)))
          continue;
        return {
          port,
          binding: env ? { by: 'env', name: name ?? 'PORT' } : readsPort(sources),
          evidence: citeAt('port', port, source, match.index + match[0].search(/\S/), rule),
        };
      }
    }
  }
  return null;
}

function readsPort(sources: readonly Source[]): PortBinding {
  const reads = sources.some(({ text }) => /['".]PORT\b/.test(text));
  return reads ? { by: 'env', name: 'PORT' } : { by: 'fixed' };
}

const isForeignName = (name: string): boolean =>
  /^(DB|DATABASE|PG|POSTGRES|MYSQL|MARIADB|MONGO|REDIS|SMTP|MAIL|EMAIL|KAFKA|RABBIT|AMQP|METRICS|DEBUG|INSPECT|PROXY|SSH|FTP|VITE|HMR|CLIENT|FRONTEND|ELASTIC|LDAP|NATS|CLICKHOUSE|MINIO|S3)/i.test(
    name,
  );
