import type { Change } from '../../src/domain/merge/change.ts';
import type { Pull } from '../../src/domain/merge/pull.ts';
import type { EngineRig, Wish } from '../engine/open-rig.ts';
import { engineRig } from '../engine/rig.ts';
import type { FakePull, Hub } from '../fakes/github/hub.ts';
import { type FakeGitHub, startGitHub } from '../fakes/github/server.ts';

const SLUG = 'acme/shop';

/** An engine in this process whose repository has a GitHub for origin. */
export type ForgeRig = EngineRig & {
  readonly github: FakeGitHub;
  readonly hub: Hub;
  /** The change of a convoy or task whose pull request looks so. */
  pull(
    of: string,
    holds: (pull: Pull, change: Change) => boolean,
  ): Promise<Change & { pull: Pull }>;
  /** The same, for a pull request that waits for an approval. */
  waiting(of: string): Promise<FakePull>;
  asked(request: string): number;
};

export async function forgeRig(wish: Wish & { readonly poll?: string } = {}): Promise<ForgeRig> {
  const rig = await engineRig({ ...wish, repo: { delivery: 'pull-request', ...wish.repo } });
  const github = await startGitHub(rig.root);
  const hub = github.repository(SLUG);
  rig.git('remote', 'add', 'origin', github.gitUrl(SLUG));
  // By its path: this process cannot wait for git and serve it at the same time.
  rig.git('push', '--quiet', hub.bare.path, 'main');
  Object.assign(rig.env, { GITHUB_TOKEN: github.token, GITHUB_API_URL: github.apiUrl });
  rig.config((config) => Object.assign(config, { github: { poll: wish.poll ?? '50ms' } }));
  const pull: ForgeRig['pull'] = (of, holds) =>
    rig.until(`a pull request of ${of}`, async () => {
      const found = (await rig.changes(of)).findLast(
        (change): change is Change & { pull: Pull } =>
          change.pull !== undefined && holds(change.pull, change),
      );
      return found ?? null;
    });
  return {
    ...rig,
    github,
    hub,
    pull,
    waiting: async (of) => {
      const { pull: seen } = await pull(
        of,
        ({ waits, state }) => state === 'open' && waits !== null,
      );
      const found = hub.pulls.get(seen.number ?? 0);
      if (found === undefined) throw new Error(`The forge has no #${seen.number}`);
      return found;
    },
    asked: (request) => github.requests.filter((each) => each === request).length,
  };
}
