import type { AuthorLane } from '../lane.ts';
import { inDirectory } from '../paths.ts';

/** How one ecosystem becomes an image: what its two stages hold. */
export type Recipe = {
  readonly build: Stage & {
    readonly install: string | null;
    readonly commands: readonly string[];
    /** Directories kept between builds on the same machine. */
    readonly caches: readonly string[];
    /** What goes before the tree is copied on, because nothing needs it at run time. */
    readonly tidy: readonly string[];
  };
  readonly run: Stage & {
    /** Directories outside the application that the build filled. */
    readonly copies: readonly string[];
    /** Replaces the lane's start command where the built artefact has one of its own. */
    readonly start?: readonly string[];
  };
  /** Another stage whose output goes into the build. */
  readonly assets?: AssetStage;
};

export type Stage = {
  readonly image: string;
  readonly packages: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Commands of ours that prepare the stage. */
  readonly setup: readonly string[];
};

export type AssetStage = {
  readonly image: string;
  readonly install: string;
  readonly command: string;
  readonly output: string;
};

/** Whether the repository has a file of this name where the lane's lockfile belongs. */
export type HasFile = (path: string) => boolean;

export const stage = (image: string, more: Partial<Stage> = {}): Stage => ({
  image,
  packages: [],
  env: {},
  setup: [],
  ...more,
});

/** The usual recipe: install, build, nothing else. */
export function recipe(
  lane: AuthorLane,
  build: Stage & Partial<Recipe['build']>,
  run: Stage & Partial<Recipe['run']>,
  more: Pick<Recipe, 'assets'> = {},
): Recipe {
  return {
    build: {
      install: lane.install,
      commands: lane.build === null ? [] : [lane.build],
      caches: [],
      tidy: [],
      ...build,
    },
    run: { copies: [], ...run },
    ...more,
  };
}

export const lockedIn =
  (lane: AuthorLane, has: HasFile) =>
  (...names: readonly string[]): boolean =>
    names.some((name) => has(inDirectory(lane.installPath ?? lane.path, name)));

/** Debian packages that the client libraries of these stores are compiled against and run with. */
export function storePackages(lane: AuthorLane): {
  readonly build: readonly string[];
  readonly run: readonly string[];
} {
  const uses = (store: string): boolean => lane.datastores.includes(store);
  return {
    build: [
      'build-essential',
      ...(uses('mysql') ? ['default-libmysqlclient-dev', 'pkg-config'] : []),
      ...(uses('postgres') ? ['libpq-dev'] : []),
    ],
    run: [...(uses('mysql') ? ['libmariadb3'] : []), ...(uses('postgres') ? ['libpq5'] : [])],
  };
}
