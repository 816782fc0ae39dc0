import type { Draft } from './draft.ts';
import { cite, citeAt, type Source } from './evidence.ts';
import { at, type Json, wordOf } from './json.ts';
import type { Evidence, PortBinding } from './lane.ts';
import type { Project } from './project.ts';

interface Configured {
  readonly port: number;
  readonly binding: PortBinding | null;
  readonly evidence: Evidence;
}

/** Keys under which configuration files keep the port of the program itself. */
const KEYS: readonly (readonly string[])[] = [
  ['server', 'port'],
  ['port'],
  ['PORT'],
  ['http', 'port'],
  ['app', 'port'],
  ['default', 'port'],
  ['server', 'http', 'port'],
  ['api', 'port'],
  ['listen', 'port'],
  ['quarkus', 'http', 'port'],
  ['micronaut', 'server', 'port'],
  ['ktor', 'deployment', 'port'],
  ['Kestrel', 'Endpoints', 'Http', 'Url'],
  ['Urls'],
  ['urls'],
];

const DATA_FILES =
  /^((src\/main\/resources|config|conf|configs|configuration|settings)\/)?(application(-prod(uction)?)?|appsettings(\.Production)?|default|production|config(\.default|\.example)?|settings|server|app|Rocket)\.(json|ya?ml|toml)$/;

/** The port a configuration file of the project names. */
export function configuredPort(project: Project, draft: Draft): Configured | null {
  if (draft.kind === 'frontend' && draft.framework !== null) return frontendPort(project, draft);
  for (const file of project.files.filter((name) => DATA_FILES.test(name))) {
    const found = inData(project.data(file), project.source(file));
    if (found !== null) return found;
  }
  return inText(project) ?? inEnvExample(project);
}

function inData(data: Json | undefined, source: Source): Configured | null {
  for (const keys of KEYS) {
    const value = wordOf(at(data, ...keys));
    const read = value === undefined ? undefined : portOfSetting(value);
    if (read !== undefined)
      return {
        port: read.port,
        binding: read.binding,
        evidence: cite('port', read.port, source, String(read.port), 'config-file'),
      };
  }
  return null;
}

/** `8080`, `${PORT:8080}`, `http://*:8080` */
function portOfSetting(value: string): { port: number; binding: PortBinding } | undefined {
  const variable = /\$\{\??(\w+):?-?(\d{2,5})\}/.exec(value);
  if (variable !== null)
    return { port: Number(variable[2]), binding: { by: 'env', name: variable[1] ?? 'PORT' } };
  const plain = /^(?:https?:\/\/[^:/]+:)?(\d{2,5})\/?$/.exec(value);
  return plain === null ? undefined : { port: Number(plain[1]), binding: { by: 'fixed' } };
}

const TEXT_FILES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /(^|\/)application(-prod(uction)?)?\.properties$/,
    /^(?:server|quarkus\.http|micronaut\.server)\.port\s*=\s*(.+)$/m,
  ],
  [/(^|\/)application\.conf$/, /^[ \t]*port\s*=\s*(\S+)\s*$/m],
  [/(^|\/)gunicorn(\.conf|_config|_conf)?\.py$/, /bind\s*=\s*f?['"][^'"\n]*:(\d{2,5})['"]/],
  [/(^|\/)gunicorn(\.conf|_config|_conf)?\.py$/, /bind[\s\S]{0,80}?PORT['"]\s*,\s*['"]?(\d{2,5})/],
  [/^config\/puma\.rb$/, /port[\s(]+ENV\.fetch\(\s*['"]PORT['"]\s*\)?[\s,{]*['"]?(\d{2,5})/],
  [/^config\/puma\.rb$/, /^[ \t]*port\s+(\d{2,5})/m],
  [/^config\/(runtime|prod|config|dev)\.exs$/, /PORT['"]\)?\s*(?:\|\||,)\s*['"](\d{2,5})/],
  [/^config\/(runtime|prod|config)\.exs$/, /http:\s*\[[^\]]*port:\s*(\d{2,5})/],
  [/^\.streamlit\/config\.toml$/, /port\s*=\s*(\d+)/],
];

function inText(project: Project): Configured | null {
  for (const [name, pattern] of TEXT_FILES)
    for (const file of project.files.filter((one) => name.test(one))) {
      const source = project.source(file);
      const match = pattern.exec(source.text);
      const read = match === null ? undefined : portOfSetting((match[1] ?? '').trim());
      if (match === null || read === undefined) continue;
      const named = /PORT/.test(match[0]) && read.binding.by === 'fixed';
      return {
        port: read.port,
        binding: named ? { by: 'env', name: 'PORT' } : read.binding,
        evidence: citeAt('port', read.port, source, match.index, 'config-file'),
      };
    }
  return null;
}

function inEnvExample(project: Project): Configured | null {
  const file = project.files.find((name) =>
    /^\.?env\.(example|sample|template|schema|dist)$/.test(name),
  );
  if (file === undefined) return null;
  const source = project.source(file);
  const match = /^PORT\s*=\s*['"]?(\d{2,5})/m.exec(source.text);
  if (match === null) return null;
  return {
    port: Number(match[1]),
    binding: { by: 'env', name: 'PORT' },
    evidence: citeAt('port', match[1] ?? '', source, match.index, 'env-example'),
  };
}

function frontendPort(project: Project, draft: Draft): Configured | null {
  const preview = /vite preview|vite dev|^vite\b/.test(draft.start ?? '');
  const file = project.files.find((name) => /^(vite|astro|nuxt)\.config\.[cm]?[jt]s$/.test(name));
  if (file === undefined || (!preview && draft.framework !== 'astro')) return null;
  const source = project.source(file);
  const match = /\b(?:preview|server)\s*:\s*\{[^}]*?\bport\s*:\s*(?<port>\d{2,5})/.exec(
    source.text,
  );
  const exact = /\bpreview\s*:\s*\{[^}]*?\bport\s*:\s*(?<port>\d{2,5})/.exec(source.text);
  const found = exact ?? (draft.framework === 'astro' ? match : null);
  if (found === null) return null;
  const port = found.groups?.['port'] ?? '';
  return {
    port: Number(port),
    binding: null,
    evidence: citeAt('port', port, source, found.index, 'config-file'),
  };
}
