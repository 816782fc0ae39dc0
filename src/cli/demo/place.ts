import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';

/** The folders of one demo. All it does stays inside `folder`. */
export type DemoPlace = {
  readonly folder: string;
  /** The service's repository, which is the workspace as well. */
  readonly repository: string;
  readonly agents: string;
  readonly data: string;
  /** What Convoy brings along: plan, repository, work. */
  readonly shipped: { readonly demo: string; readonly plan: string };
  readonly env: Readonly<Record<string, string | undefined>>;
};

type Asked = Pick<CommandContext, 'cwd' | 'dir' | 'env'>;

/** Makes a folder for this demo, and removes those of earlier ones unless they shall be kept. */
export function makePlace(asked: Asked, keep: boolean): DemoPlace {
  const root = packageRoot();
  const home = homeOf(asked, root);
  const folder = folderIn(home, keep);
  const place = {
    folder,
    repository: join(folder, 'links'),
    agents: join(folder, 'agents'),
    data: join(folder, 'data'),
  };
  for (const made of [place.repository, place.agents, place.data]) mkdirSync(made);
  const examples = join(root, 'examples');
  return {
    ...place,
    shipped: { demo: join(examples, 'demo'), plan: join(examples, 'prds', 'service.md') },
    env: environmentFor(asked.env, folder),
  };
}

/** Sources and bundle lie at different depths below the folder that has the examples. */
function packageRoot(): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, 'examples', 'demo', 'repository'))) return at;
    if (at === dirname(at)) throw unusable('The examples that the demo plays are not installed.');
  }
}

/** `-C DIR` names the place; a workspace that is only the usual one does not. */
function homeOf({ cwd, dir, env }: Asked, root: string): string {
  const usual = resolve(cwd, env['CONVOY_DIR'] || '.');
  return dir === usual ? join(root, '.convoy-demo') : dir;
}

function folderIn(home: string, keep: boolean): string {
  try {
    mkdirSync(home, { recursive: true });
    if (!keep)
      for (const folder of leftIn(home)) rmSync(folder, { recursive: true, maxRetries: 5 });
    return freshIn(home);
  } catch (error) {
    throw unusable(`The demo cannot be made in ${home}.`, error);
  }
}

const unusable = (message: string, error?: unknown): Stop =>
  new Stop({
    kind: 'invalid',
    code: 'demo_folder',
    message,
    ...(error instanceof Error ? { cause: error.message } : {}),
    remedy: 'convoy demo --dir DIR makes it elsewhere; the examples are part of a checkout.',
  });

const NAME = /^demo-\d+$/;
const MARK = '.made-by-convoy-demo';

/** Only what a demo made, and only when its engine has ended. */
const leftIn = (home: string): string[] =>
  readdirSync(home)
    .filter((name) => NAME.test(name))
    .map((name) => join(home, name))
    .filter((folder) => existsSync(join(folder, MARK)) && !isRunning(folder));

function isRunning(folder: string): boolean {
  try {
    const file = join(folder, 'links', '.convoy', 'daemon.json');
    const known: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof known !== 'object' || known === null || !('pid' in known)) return false;
    return process.kill(Number(known.pid), 0);
  } catch {
    return false;
  }
}

function freshIn(home: string): string {
  for (let number = 1; ; number++) {
    const folder = join(home, `demo-${number}`);
    if (existsSync(folder)) continue;
    mkdirSync(folder);
    writeFileSync(join(folder, MARK), 'convoy demo removes this folder when it runs again.\n');
    return folder;
  }
}

/** The user's own workspace, ledger and token are none of the demo's business. */
const environmentFor = (env: DemoPlace['env'], folder: string): DemoPlace['env'] => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('CONVOY_') || name === 'CONVOY_PORT'),
  ),
  XDG_CACHE_HOME: join(folder, 'cache'),
});
