import type { Draft } from './draft.ts';
import { citeFile } from './evidence.ts';
import type { Evidence } from './lane.ts';
import type { Project } from './project.ts';

const WORD = '(_?health|healthz|health-?check|livez|readyz|ping|up|status)';

/** Frameworks whose routes are files: which file answers which path. */
const ROUTES: Readonly<Record<string, readonly RegExp[]>> = {
  next: [
    new RegExp(String.raw`^(?:src/)?app/((?:[\w()-]+/)*${WORD})/route\.[jt]sx?$`),
    new RegExp(String.raw`^(?:src/)?pages/((?:[\w-]+/)*${WORD})(?:/index)?\.[jt]sx?$`),
  ],
  sveltekit: [new RegExp(String.raw`^src/routes/((?:[\w()-]+/)*${WORD})/\+(?:server|page)\.\w+$`)],
  nuxt: [
    new RegExp(String.raw`^(?:src/)?server/(api/(?:[\w-]+/)*${WORD})(?:/index)?(?:\.get)?\.[jt]s$`),
    new RegExp(
      String.raw`^(?:src/)?server/routes/((?:[\w-]+/)*${WORD})(?:/index)?(?:\.get)?\.[jt]s$`,
    ),
  ],
  astro: [
    new RegExp(
      String.raw`^src/pages/((?:[\w-]+/)*${WORD})(?:/index)?(?:\.json)?\.(?:[jt]s|astro)$`,
    ),
  ],
  remix: [new RegExp(String.raw`^app/routes/((?:[\w-]+[./])*\[?${WORD})\]?(?:/route)?\.[jt]sx?$`)],
  'react-router': [
    new RegExp(String.raw`^app/routes/((?:[\w-]+[./])*\[?${WORD})\]?(?:/route)?\.[jt]sx?$`),
  ],
  fresh: [new RegExp(String.raw`^routes/((?:[\w-]+/)*${WORD})\.tsx?$`)],
};

/** A health route that exists as a file of the framework's route directory. */
export function fileRoute(
  project: Project,
  draft: Draft,
): { path: string; evidence: Evidence } | null {
  if (draft.staticDir != null) return null;
  for (const pattern of ROUTES[draft.framework ?? ''] ?? [])
    for (const file of project.files) {
      const match = pattern.exec(file);
      if (match === null) continue;
      const path = `/${(match[1] ?? '')
        .replaceAll(/\([\w-]+\)\//g, '')
        .replaceAll('.', '/')
        .replaceAll('[', '')}`;
      return {
        path,
        evidence: citeFile('health_path', path, project.source(file).file, 'file-route'),
      };
    }
  return null;
}
