import type { Draft } from './draft.ts';
import type { Source } from './evidence.ts';
import { baseOf, directoryOf } from './snapshot.ts';

/** The path in front of a route that its surroundings add: router mounts, groups, class annotations. */
export function prefixOf(
  source: Source,
  position: number,
  before: string,
  sources: readonly Source[],
  draft: Draft,
): string {
  const { ecosystem, framework } = draft;
  if (ecosystem === 'jvm' || ecosystem === 'dotnet') return classPrefix(source.text, position);
  if (['ruby', 'elixir', 'php'].includes(ecosystem))
    return `${apiFile(source, draft)}/${blockPrefix(source.text, position)}`;
  if (framework === 'nest') return nestPrefix(source.text, position, before, sources);
  if (framework === 'django') return includePrefix(source, sources);
  return routerPrefix(source, before, sources);
}

/** `@RequestMapping("/api") class X { @GetMapping("/health") … }` and the like in C#. */
function classPrefix(text: string, position: number): string {
  const head = text.slice(0, position);
  const classAt = head.search(/\bclass\s+\w+[^;]*$/);
  if (classAt < 0) return '';
  const annotations = head.slice(0, classAt);
  const mapping =
    /(?:@RequestMapping|@Path|\[Route)\(\s*(?:value\s*=\s*)?"([^"]*)"\s*\)\]?[^;{}]*$/.exec(
      annotations,
    );
  const name = /\bclass\s+(\w+?)(?:Controller)?\b/.exec(head.slice(classAt))?.[1] ?? '';
  return (mapping?.[1] ?? '').replace('[controller]', name.toLowerCase());
}

/** Enclosing `scope "/api" do`, `namespace :api do`, `Route::prefix('api')->group(…)`. */
function blockPrefix(text: string, position: number): string {
  const lines = text.slice(0, position).split('\n');
  let indent = indentOf(lines.at(-1) ?? '');
  const prefixes: string[] = [];
  for (const line of lines.slice(0, -1).toReversed()) {
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    const match =
      /\bscope\s*\(?\s*(?:path:\s*)?["']([^"']+)["']/.exec(line) ??
      /\b(?:namespace|resources?)\s+:(\w+)/.exec(line) ??
      /prefix\(\s*['"]([^'"]+)['"]\s*\)/.exec(line) ??
      /group\(\s*['"]([^'"]+)['"]/.exec(line);
    if (match !== null) prefixes.unshift(match[1] ?? '');
  }
  return prefixes.join('/');
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

// Laravel serves everything in routes/api.php below /api.
const apiFile = (source: Source, draft: Draft): string =>
  draft.framework === 'laravel' && source.file.endsWith('routes/api.php') ? 'api' : '';

function nestPrefix(
  text: string,
  position: number,
  before: string,
  sources: readonly Source[],
): string {
  const controllers = [
    ...text.slice(0, position).matchAll(/@Controller\(\s*['"`]?([\w/-]*)['"`]?/g),
  ];
  const own = before.includes('@Controller') ? '' : (controllers.at(-1)?.[1] ?? '');
  const global = sources
    .map((source) => /setGlobalPrefix\(\s*['"`]([\w/-]+)['"`]([^)]*)\)/s.exec(source.text))
    .find((match) => match !== null);
  const excluded = /exclude[^\]]*health/s.test(global?.[2] ?? '');
  return `${excluded ? '' : (global?.[1] ?? '')}/${own}`;
}

/** Django: `path("api/", include("core.urls"))` mounts core/urls.py. */
function includePrefix(source: Source, sources: readonly Source[]): string {
  const module = source.file.replace(/\.py$/, '').split('/').slice(-2).join('.');
  for (const { text } of sources) {
    const match = new RegExp(
      String.raw`path\(\s*r?["']([^"']*)["']\s*,\s*include\(\s*\(?\s*["'](?:[\w.]+\.)?${escaped(module)}["']`,
    ).exec(text);
    if (match !== null) return match[1] ?? '';
  }
  return '';
}

/** Routers of express, hono, fastify, fastapi, flask, gin, echo, axum: mounted under a path by name or by file. */
function routerPrefix(source: Source, before: string, sources: readonly Source[]): string {
  const receiver =
    /([A-Za-z_]\w*)\s*\.\s*(?:get|GET|Get|head|all|any|use|route|Route|api_route|HandleFunc|Handle|add_url_rule|MapGet|on)\s*\(\s*(?:\[?\s*)$/.exec(
      before,
    )?.[1];
  if (receiver === undefined) return '';
  return `${mountPrefix(source, receiver, sources)}/${declaredPrefix(source.text, receiver)}`;
}

function declaredPrefix(text: string, receiver: string): string {
  const name = escaped(receiver);
  const patterns = [
    String.raw`\b${name}\s*(?::=|=|:[^=\n]*=)\s*[\w.]*\b(?:Group|group|basePath|PathPrefix|MapGroup|Party)\(\s*["'\x60]([^"'\x60]*)["'\x60]`,
    String.raw`\b${name}\s*=\s*APIRouter\([^)]*prefix\s*=\s*["']([^"']*)["']`,
    String.raw`\b${name}\s*=\s*Blueprint\([^)]*url_prefix\s*=\s*["']([^"']*)["']`,
    String.raw`\b${name}\s*=\s*new\s+(?:Router|KoaRouter|Hono|Elysia)\(\s*\{\s*prefix:\s*["']([^"']*)["']`,
    String.raw`\b${name}\s*=\s*new\s+\w+\([^)]*\)\.basePath\(\s*["']([^"']*)["']`,
  ];
  for (const pattern of patterns) {
    const match = new RegExp(pattern).exec(text);
    if (match !== null) return match[1] ?? '';
  }
  return '';
}

function mountPrefix(source: Source, receiver: string, sources: readonly Source[]): string {
  for (const other of sources) {
    const names =
      other.file === source.file ? [receiver] : importedNames(other.text, source.file, receiver);
    for (const name of names) {
      const prefix = mountedAs(other.text, name);
      if (prefix !== undefined) return prefix;
    }
  }
  return '';
}

function mountedAs(text: string, name: string): string | undefined {
  const id = escaped(name);
  const patterns = [
    String.raw`\.(?:use|route|mount|nest|register)\(\s*["'\x60](/[^"'\x60]*)["'\x60]\s*,[^;\n]*\b${id}(?!\w)`,
    String.raw`\.register\(\s*${id}\s*,\s*\{[^}]*prefix:\s*["'\x60]([^"'\x60]*)["'\x60]`,
    String.raw`include_router\(\s*${id}\b[^)]*prefix\s*=\s*["']([^"']*)["']`,
    String.raw`register_blueprint\(\s*${id}\b[^)]*url_prefix\s*=\s*["']([^"']*)["']`,
  ];
  for (const pattern of patterns) {
    const match = new RegExp(pattern).exec(text);
    if (match !== null) return match[1];
  }
  return undefined;
}

/** Names under which a file knows the module that holds a route. */
function importedNames(text: string, file: string, receiver: string): readonly string[] {
  const stem = baseOf(file).replace(/\.\w+$/, '');
  const module = /^(index|__init__|mod)$/.test(stem) ? baseOf(directoryOf(file)) : stem;
  const id = escaped(module);
  const script = [
    ...text.matchAll(
      new RegExp(
        String.raw`import\s+(?:\{\s*)?(\w+)[^;\n]*from\s*['"][^'"]*\b${id}(?:\.\w+)?['"]`,
        'g',
      ),
    ),
    ...text.matchAll(
      new RegExp(String.raw`(\w+)\s*=\s*require\(\s*['"][^'"]*\b${id}(?:\.\w+)?['"]`, 'g'),
    ),
  ].map((match) => match[1] ?? '');
  const inline = [
    ...text.matchAll(
      new RegExp(String.raw`(require\(\s*['"][^'"]*\b${id}(?:\.\w+)?['"]\s*\))`, 'g'),
    ),
  ].map((match) => match[1] ?? '');
  const python = new RegExp(
    String.raw`from\s+[\w.]*\b${id}\s+import\s+(?:\w+,\s*)*${escaped(receiver)}(?:\s+as\s+(\w+))?`,
  ).exec(text);
  const dotted = new RegExp(String.raw`import\s+[^\n]*\b${id}\b`).test(text)
    ? [`${module}.${receiver}`]
    : [];
  return [...script, ...inline, ...(python === null ? [] : [python[1] ?? receiver]), ...dotted];
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
