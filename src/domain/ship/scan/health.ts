import type { Draft } from './draft.ts';
import { citeAt, citeFile, type Source } from './evidence.ts';
import type { Ecosystem, Evidence } from './lane.ts';
import { fileRoute } from './health-file-route.ts';
import { prefixOf } from './health-prefix.ts';
import { rankedSources } from './port.ts';
import type { Project } from './project.ts';
import { withoutRemarks } from './without-comments.ts';

export interface HealthFound {
  readonly path: string;
  readonly evidence: Evidence;
}

const WORDS =
  'healthz|health|health-?check|health_check|_health|livez|readyz|liveness|readiness|live|ready|alive|heartbeat|ping|up|status|_status';

/** A health route as text. */
const ROUTE = new RegExp(
  String.raw`(?<quote>['"\x60])(?:(?:GET|HEAD) +)?(?<path>\^?/?(?:[\w-]+/){0,6}(?:${WORDS})/?\$?)\k<quote>`,
  'g',
);

const LONGEST = 200;
const NEAR = 40;

/** Words in front of a route that make it one this program answers. */
const DECLARES =
  /(\b(get|Get|GET|head|all|any|use|route|Route|path|re_path|url|Handle|HandleFunc|HandlerFunc|Map\w*|resource|Controller|Mapping|RequestMapping|match|case|at|add_url_rule|add_route|add_get|add_view|api_route|add_api_route|on|to|basePath|Path|HttpGet|GetMapping|scope|health|healthPath|endpoint)\b[^'"`\n]*\(?[^'"`\n]*$)|(===?\s*$)|(#\[get\($)|(\bpath\s*[:=]\s*$)|(\burl\s*[:=]\s*$)|(\bcase\s+$)|(GET\s+$)|(\bhealth:\s*$)|(\bpathname\b.*$)/;

/** Words that show the line asks somebody else. */
const ASKS =
  /fetch\(|axios|requests\.|httpx\.|HttpClient|http\.get\(|http\.Get\(|urlopen|supertest|request\(app\)|curl |useQuery|useSWR|navigate|<Link|href=|proxy|rewrite|exclude|skip|ignore|push\(|client\.|session\./i;

/** The path that tells whether a lane is well, with `/` where nothing better is known. */
export function findHealth(
  project: Project,
  draft: Draft,
  outside: readonly HealthFound[],
): HealthFound {
  const [told] = outside;
  const inFiles = fileRoute(project, draft);
  if (inFiles !== null) return inFiles;
  const inCode = healthInCode(project, draft);
  if (inCode !== null) return inCode;
  if (told !== undefined) return told;
  const file = draft.evidence[0]?.file ?? project.source(draft.manifest).file;
  const path = draft.defaultHealth ?? '/';
  const rule = draft.defaultHealth === undefined ? 'root-page' : 'framework-default';
  return { path, evidence: citeFile('health_path', path, file, rule) };
}

interface Candidate extends HealthFound {
  readonly rank: number;
}

function healthInCode(project: Project, draft: Draft): HealthFound | null {
  if (draft.staticDir != null || isPagesOnly(draft)) return null;
  const sources = rankedSources(project, draft);
  const candidates = sources.flatMap((source) => routesOf(source, sources, draft));
  const [best] = candidates.toSorted((a, b) => a.rank - b.rank || a.path.length - b.path.length);
  return best ?? null;
}

// A page framework's program text is full of links; only a server file of its own declares routes.
const isPagesOnly = (draft: Draft): boolean =>
  draft.kind === 'frontend' && (draft.entries ?? []).length === 0;

function routesOf(source: Source, sources: readonly Source[], draft: Draft): readonly Candidate[] {
  const text = withoutRemarks(source.text, source.file);
  return [...text.matchAll(ROUTE)].flatMap((match) => {
    const before = text.slice(text.lastIndexOf('\n', match.index) + 1, match.index).slice(-LONGEST);
    const route = match.groups?.['path'] ?? '';
    if (ASKS.test(before.slice(-NEAR)) || !declares(before, route, draft)) return [];
    const position = match.index;
    const path = whole(route, prefixOf(source, position, before, sources, draft), draft);
    if (path === null) return [];
    return [
      {
        path,
        rank: rankOf(path),
        evidence: citeAt('health_path', path, source, position, 'health-route'),
      },
    ];
  });
}

function declares(before: string, route: string, draft: Draft): boolean {
  if (!DECLARES.test(before)) return false;
  return route.startsWith('/') || (SLASHLESS[draft.ecosystem] ?? ANNOTATED).test(before);
}

/** Without a leading slash the word alone is too common: only these ways of writing a route count. */
const ANNOTATED =
  /(@Get|@Controller|@GetMapping|@RequestMapping|@Path|\[Route|\[HttpGet)\s*\(\s*(\{\s*path:\s*)?$/;
const SLASHLESS: Readonly<Partial<Record<Ecosystem, RegExp>>> = {
  python: /\b(path|re_path|url)\(\s*r?$/,
  ruby: /^\s*(get|match)[\s(]+$/,
  php: /Route::(get|any|match)\(\s*$|prefix\(\s*$/,
  swift: /\.(get|on|group|grouped)\(\s*$/,
};

function whole(route: string, prefix: string, draft: Draft): string | null {
  const bare = route.replace(/^\^/, '').replace(/\$$/, '');
  const path = `/${prefix}/${bare}`.replaceAll(/\/{2,}/g, '/');
  if (/[:{*<]/.test(path)) return null;
  return draft.framework === 'django' || path === '/' ? path : path.replace(/\/$/, '');
}

const ORDER: readonly RegExp[] = [
  /\/_?healthz?\/?$/,
  /\/health[-_]?check\/?$/,
  /\/up\/?$/,
  /\/(livez|liveness|live|alive|heartbeat|health\/live)\/?$/,
  /\/(readyz|readiness|ready)\/?$/,
  /\/ping\/?$/,
  /\/_?status\/?$/,
];

const rankOf = (path: string): number => {
  const rank = ORDER.findIndex((pattern) => pattern.test(path));
  return rank < 0 ? ORDER.length : rank;
};
