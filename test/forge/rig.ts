import type { Json } from '../cli/rig.ts';
import type { Hub } from '../fakes/github/hub.ts';
import { type FakeGitHub, startGitHub } from '../fakes/github/server.ts';
import { makeQueue, type QueueRig } from '../queue/rig.ts';

export const SLUG = 'acme/shop';

/** A workspace whose repository has a GitHub for origin and delivers by pull requests. */
export type PullRig = QueueRig & {
  readonly github: FakeGitHub;
  readonly hub: Hub;
  /** Creates, launches and leaves the engine running; the convoy's id. */
  begin(title: string, ...tasks: string[]): Promise<string>;
  /** The only entry of the target's queue, once it looks so. */
  entry(holds: (entry: Json) => boolean): Promise<Json>;
  settled(convoy: string, status: string): Promise<Json>;
  /** How many requests of a kind the fake has seen. */
  asked(request: string): number;
};

export async function pullRig(
  options: {
    settings?: string;
    gate?: string | null;
    agent?: string;
    poll?: string;
    github?: string;
  } = {},
): Promise<PullRig> {
  const rig = await makeQueue({
    ...options,
    settings: `delivery = "pull-request"\n${options.settings ?? ''}`,
  });
  const github = await startGitHub(rig.root);
  const hub = github.repository(SLUG);
  rig.env['GITHUB_TOKEN'] = github.token;
  rig.env['GITHUB_API_URL'] = github.apiUrl;
  rig.write(
    '.convoy/config.toml',
    `${rig.config().replace('[workspace]', '[workspace]\nbackoff = "200ms"')}
[github]
poll = "${options.poll ?? '300ms'}"
${options.github ?? ''}
`,
  );
  rig.git('remote', 'add', 'origin', github.gitUrl(SLUG));
  // By its path: this process cannot wait for git and serve it at the same time.
  rig.git('push', '--quiet', hub.bare.path, 'main');
  return {
    ...rig,
    github,
    hub,
    begin: async (title, ...tasks) => {
      const { convoy } = await rig.ok(['create', title, ...tasks]);
      await rig.ok(['launch', convoy.id]);
      return convoy.id;
    },
    entry: async (holds) => {
      const { entries } = await rig.until(
        () => rig.ok(['queue', 'list', '--target', 'main']),
        (seen) => seen.entries.length > 0 && holds(seen.entries[0]),
      );
      return entries[0];
    },
    settled: (convoy, status) =>
      rig.until(
        () => rig.status(convoy),
        (seen) => seen.status === status,
      ),
    asked: (request) => github.requests.filter((each) => each === request).length,
  };
}
