/** A repository on a GitHub, found from the address git uses for it. */
export type Slug = { readonly host: string; readonly owner: string; readonly repo: string };

export const GITHUB_API = 'https://api.github.com';

/** The repository behind a remote, or null when it is not on the GitHub of this API. */
export function slugOf(remoteUrl: string, apiUrl: string): Slug | null {
  const address = addressOf(remoteUrl);
  if (address === null || !hostsOf(apiUrl).includes(address.host)) return null;
  const [owner, repo, ...more] = address.path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
    .split('/');
  if (owner === undefined || repo === undefined || more.length > 0) return null;
  if (![owner, repo].every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part))) return null;
  return { host: address.host, owner, repo };
}

type Address = { readonly host: string; readonly path: string };

function addressOf(remoteUrl: string): Address | null {
  if (URL.canParse(remoteUrl) && /^(https?|ssh|git):/i.test(remoteUrl)) {
    const url = new URL(remoteUrl);
    // The port of ssh says nothing about the web's; that of http does.
    const host = url.protocol.startsWith('http') ? url.host : url.hostname;
    return { host: aliased(host), path: url.pathname };
  }
  const scp = /^(?:[^@\s/]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(remoteUrl);
  return scp === null ? null : { host: aliased(scp[1] ?? ''), path: scp[2] ?? '' };
}

/** GitHub's ssh over the https port has a name of its own. */
const aliased = (host: string): string =>
  host.toLowerCase() === 'ssh.github.com' ? 'github.com' : host.toLowerCase();

/** The hosts whose repositories an API serves: `api.` may stand before the name, `/api/v3` behind it. */
function hostsOf(apiUrl: string): string[] {
  const { host, hostname } = new URL(apiUrl);
  return [...new Set([host, hostname])].flatMap((name) => [name, name.replace(/^api\./, '')]);
}
