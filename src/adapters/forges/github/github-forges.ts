import { err, ok } from '../../../lib/result.ts';
import type { Forges } from '../../../ports/forge.ts';
import { GITHUB_API, slugOf } from './slug.ts';
import { tokenFor } from './token.ts';

export type GitHubWish = {
  /** `GITHUB_TOKEN`; null asks `gh auth token`. */
  readonly token: string | null;
  /** `GITHUB_API_URL`; null is github.com. */
  readonly apiUrl: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
};

/** GitHub, or the GitHub Enterprise that GITHUB_API_URL names. */
export function githubForges({ token, apiUrl, env, now }: GitHubWish): Forges {
  const api = apiUrl ?? GITHUB_API;
  return {
    open: async (remoteUrl) => {
      const slug = slugOf(remoteUrl, api);
      if (slug === null)
        return err({
          kind: 'unknown_host',
          reason: `origin is no repository of the GitHub at ${new URL(api).host}`,
          remedy: 'Set GITHUB_API_URL for a GitHub Enterprise, or deliver = "direct" or "local".',
        });
      const secret = await tokenFor(slug.host, token, env);
      if (secret === null)
        return err({
          kind: 'no_token',
          reason: `there is no token for ${slug.host}`,
          remedy: 'Set GITHUB_TOKEN, or log in with gh auth login.',
        });
      // Loaded when first used: most commands never talk to a forge.
      const [{ githubClient }, { githubForge }] = await Promise.all([
        import('./client.ts'),
        import('./github-forge.ts'),
      ]);
      return ok(githubForge(githubClient({ token: secret, apiUrl: api, now }), slug));
    },
  };
}
