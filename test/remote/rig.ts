import { execFileSync } from 'node:child_process';
import { onTestFinished, vi } from 'vitest';
import { showConvoy, why } from '../../src/contract/routes/convoys.ts';
import type { ConvoyJson } from '../../src/contract/schemas/convoy.ts';
import type { Branch } from '../../src/domain/remote/branch.ts';
import { branchesOfConvoy } from '../../src/ledger/queries/branches.ts';
import { outbox } from '../../src/ledger/queries/outbox.ts';
import type { EngineRig, Wish } from '../engine/open-rig.ts';
import { engineRig } from '../engine/rig.ts';
import { type GitHttpServer, serveGit } from '../fakes/git-http.ts';

/** A bare repository behind git's own HTTP server, for one repo of the workspace. */
export type Origin = {
  readonly path: string;
  git(...args: string[]): string;
  /** Its branches by name. */
  heads(): Record<string, string>;
};

export type RemoteRig = EngineRig & {
  readonly server: GitHttpServer;
  readonly origin: Origin;
  readonly origins: Readonly<Record<string, Origin>>;
  show(convoy: string): Promise<ConvoyJson>;
  /** Codes and messages of `convoy why`. */
  whys(id: string): Promise<string[]>;
  branches(convoy: string): Promise<Branch[]>;
  /** Titles of the notices about pushes, once there is one. */
  told(): Promise<string[]>;
  /** Waits until no branch of a convoy that has ended is to be on the remote any more. */
  gone(convoy: string): Promise<Branch[]>;
};

/** A workspace whose repositories have origins; each is at its `main`. */
export async function remoteRig(wish: Wish = {}): Promise<RemoteRig> {
  const rig = await engineRig(wish);
  const server = await serveGit(rig.root);
  onTestFinished(() => server.close());
  const origins = Object.fromEntries(
    (wish.repos ?? ['main']).map((name) => [name, originFor(rig, server, name)]),
  );
  const [origin] = Object.values(origins);
  if (origin === undefined) throw new Error('there is no repository');
  const { db } = rig.services.ledger;
  const branches = (convoy: string): Promise<Branch[]> => branchesOfConvoy(db, convoy);
  return {
    ...rig,
    server,
    origin,
    origins,
    branches,
    show: async (id) => (await rig.call(showConvoy, { params: { id } })).convoy,
    whys: async (id) =>
      (await rig.call(why, { params: { id } })).reasons.map(
        ({ code, message }) => `${code}: ${message}`,
      ),
    // What is told is no event: the change feed does not speak of it.
    told: () =>
      vi.waitUntil(
        async () => {
          const all = await outbox(db, { limit: 100 });
          const titles = all.flatMap(({ kind, title }) => (kind === 'push_failing' ? title : []));
          return titles.length > 0 && titles;
        },
        { timeout: 60_000 },
      ),
    gone: (convoy) =>
      rig.until(`branches of ${convoy} gone`, async () => {
        const all = await branches(convoy);
        return all.every(({ status }) => status === 'removed' || status === 'left') && all;
      }),
  };
}

function originFor(rig: EngineRig, server: GitHttpServer, name: string): Origin {
  const path = rig.path(`${name}.git`);
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: path, env: rig.env, encoding: 'utf8', stdio: 'pipe' }).trim();
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', path], { env: rig.env });
  git('config', 'http.receivepack', 'true');
  rig.gitIn(name, 'remote', 'add', 'origin', `${server.url}/${name}.git`);
  // By its path: this process cannot wait for git and serve it at the same time.
  rig.gitIn(name, 'push', '--quiet', path, 'main');
  return {
    path,
    git,
    heads: () =>
      Object.fromEntries(
        git('for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads')
          .split('\n')
          .map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']),
      ),
  };
}
