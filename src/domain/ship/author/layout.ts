import type { AuthorLane } from './lane.ts';
import { ascend, below, commonDirectory, inDirectory } from './paths.ts';

/** Where one lane's files go and what they call the application. */
export type LaneLayout = {
  readonly lane: AuthorLane;
  /** Unique among the lanes of the repository and fit for every platform. */
  readonly app: string;
  /** The directory an image is built from; an ancestor of the lane's path, or that path. */
  readonly context: string;
  readonly dockerfile: string;
  readonly dockerignore: string;
  readonly manifest: string;
  readonly workflow: string;
  readonly envSchema: string;
};

export const PROVENANCE_PATH = '.convoy-provenance.json';

const MANIFESTS = {
  fly: ['fly', 'toml'],
  railway: ['railway', 'json'],
  vercel: ['vercel', 'json'],
  cloudrun: ['service', 'yaml'],
  local: ['convoy.local', 'json'],
} as const;

/** Gives every lane its own files: the first lane of a directory plain names, the others their own. */
export function layOut(project: string, lanes: readonly AuthorLane[]): readonly LaneLayout[] {
  const apps = uniqueNames(lanes.map((lane) => lane.app ?? appName(project, lane.name)));
  const slugs = uniqueNames(lanes.map((lane) => slug(lane.name)));
  return lanes.map((lane, at) => {
    const alone = lanes.findIndex((other) => other.path === lane.path) === at;
    const own = slugs[at] ?? 'app';
    const context = contextOf(lane);
    const file = (name: string): string => inDirectory(lane.path, name);
    const dockerfile = alone ? 'Dockerfile' : `Dockerfile.${own}`;
    // Docker looks for an ignore file beside a Dockerfile before it looks in the context.
    const ignore = alone && context === lane.path ? '.dockerignore' : `${dockerfile}.dockerignore`;
    const [stem, ending] = MANIFESTS[lane.platform];
    return {
      lane,
      app: apps[at] ?? own,
      context,
      dockerfile: file(dockerfile),
      dockerignore: file(ignore),
      manifest: file(alone ? `${stem}.${ending}` : `${stem}.${own}.${ending}`),
      workflow: `.github/workflows/convoy-${own}.yml`,
      envSchema: file(alone ? '.env.schema' : `.env.${own}.schema`),
    };
  });
}

/** Their builds read files above the module: a workspace, shared properties, a sibling project. */
const BUILT_FROM_THE_TOP: ReadonlySet<string> = new Set(['go', 'jvm', 'dotnet', 'swift']);

/** The smallest directory that holds the lane, its lockfile and everything its commands reach up to. */
function contextOf(lane: AuthorLane): string {
  if (BUILT_FROM_THE_TOP.has(lane.ecosystem)) return '.';
  const reach = Math.max(
    0,
    ...[lane.build, lane.start, lane.staticDir].map((command) => stepsUp(command ?? '')),
  );
  const shared = commonDirectory(lane.path, lane.installPath ?? lane.path);
  const reached = ascend(lane.path, reach);
  return below(shared, reached) ? reached : shared;
}

function stepsUp(command: string): number {
  const climbs = command.match(/(?:^|[\s"'=])(?:\.\.\/)*\.\.(?=[/\s"']|$)/g) ?? [];
  return Math.max(0, ...climbs.map((climb) => climb.split('..').length - 1));
}

function appName(project: string, lane: string): string {
  const [of, own] = [slug(project), slug(lane)];
  return own === of || own.startsWith(`${of}-`) ? own : slug(`${of}-${own}`);
}

/** Lower-case, begins with a letter, at most 40 characters: what the strictest platform takes. */
export function slug(text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const lettered = /^[a-z]/.test(plain) ? plain : `app-${plain}`;
  return lettered.slice(0, 40).replace(/-+$/, '');
}

function uniqueNames(wanted: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return wanted.map((name) => {
    let unique = name;
    for (let number = 2; taken.has(unique); number += 1) unique = `${name.slice(0, 36)}-${number}`;
    taken.add(unique);
    return unique;
  });
}
