import type { CaseFile, Hit } from '../case-file.ts';
import { escape } from '../env-names.ts';
import { lineIn, manifestLine } from '../places.ts';
import type { Place } from '../repository.ts';
import { caught, fromWordings, plainRow } from './wording.ts';
import type { PlainRow, Wording } from './wording.ts';

/** What is named in an address or a coordinate, as the manifest spells it. */
function declared(hit: Hit, file: CaseFile): Place | null {
  const thing = caught(hit)
    .replace(/%2f/gi, '/')
    .replace(/^https?:\/\/[^/]+\//, '')
    .replace(/(?<=.)@\^?[\d*].*$/, '');
  const words = [thing, ...thing.split(/[/:]/).toReversed()].filter((word) => word.length > 2);
  for (const word of words) {
    const place = manifestLine(file, new RegExp(`(?:^|["'\\s/:>])${escape(word)}(?![\\w-])`));
    if (place !== null) return place;
  }
  return lineIn(
    file,
    /registry|index-url|<url>|source ['"]/,
    /\.npmrc$|\.yarnrc|pip\.conf$|settings\.xml$|NuGet\.config$|\.cargo\/config/i,
  );
}

const NEEDS_LOGIN: readonly RegExp[] = [
  /npm (?:ERR!|error) (?:code )?(?:E401|E403|ENEEDAUTH).*?(?:GET |PUT )(\S+)/,
  /npm (?:ERR!|error) (?:40[13]) .*?(?:GET|PUT) (\S+)/,
  /npm (?:ERR!|error) code (?:E401|E403|ENEEDAUTH)()/,
  /ERR_PNPM_FETCH_40[13]\S*\s+GET (\S+?):? /,
  /YN00(?:41|33|35)\b.*?(?:(@?[\w./-]+)@\S+: )?.*(?:Invalid authentication|No authentication configured|\b40[13]\b)/,
  /error (?:An unexpected error occurred: )?"?(https?:\/\/\S+?)"?: (?:Request failed )?"?40[13] /,
  /(?:ERROR: )?(?:HTTP error )?40[13] Client Error: \w+ for url: (\S+)|ERROR: 40[13] .*for url:? (\S+)/,
  /Failed to (?:fetch|download):? [`'"]?(https?:\/\/[^\s`'"]+)[`'"]?[\s\S]*?40[13]/,
  /HTTP status client error \(40[13][^)]*\) for url \((\S+)\)/,
  /Could not (?:transfer artifact|find artifact|GET) ([\w.:-]+|'[^']+').*(?:status(?: code)?:? 40[13]|40[13] (?:Unauthorized|Forbidden)|[Nn]ot authorized|authentication failed)/,
  /Received status code 40[13] from server.*|Could not GET '(\S+)'\. Received status code 40[13]/,
  /(?:error|warning) ?: ?NU1301.*?(https?:\/\/\S+?)[.'"]|Response status code does not indicate success: 40[13]()/,
  /fatal: could not read (?:Username|Password) for '?(\S+?)'?:|fatal: Authentication failed for '?(\S+?)'?$/,
  /(?<!\S)([\w.-]+\.\w+\/\S+): reading \S+: 40[134]|server response: (?:not found|unauthorized|forbidden).*?(\S+)/,
  /Could not authenticate against (\S+)|(?:The )?"(https?:\/\/\S+)" file could not be downloaded \(HTTP\/[\d.]+ 40[13]/,
  /Authentication is required for (\S+)|Bad username or password for (\S+)/,
  /failed to get successful HTTP response from `(\S+)`.*got 40[13]|no token found for `?([\w-]+)/,
  /Failed to fetch record for ['"]?([\w/:-]+)['"]? from registry.*(?:40[13]|unauthorized|forbidden|\(using cache)/i,
  /git@([\w.-]+): Permission denied \(publickey|Permission denied \(publickey\)()/,
  /(?:unauthorized: authentication required|denied: requested access to the resource is denied|pull access denied for (\S+?),)/,
];

const login = (pattern: RegExp, index: number): Wording => ({
  rule: 'registry-login',
  pattern,
  unless: /\bwarn(?:ing)?\b(?!.*NU1301)/i,
  // Rows that name the package speak louder than a bare code.
  score: /\(\)/.test(pattern.source) && index < 5 ? 85 : 95,
  classification: 'config',
  subject: () => 'registry',
  rootCause: (hit) => {
    const thing = caught(hit)
      .replace(/%2f/gi, '/')
      .replace(/[:'",]+$/, '');
    const code = /\b40[134]\b/.exec(hit.text)?.[0];
    return `The package registry refused the install${thing ? ` of ${thing}` : ''}${code ? ` with ${code}` : ''}: authentication is missing, or the token may not read it.`;
  },
  fix: () =>
    'Give the install a token that may read the private package (in the lane’s environment and the registry’s settings file), or take the package from a public registry.',
  place: declared,
});

const ROWS: readonly PlainRow[] = [
  {
    rule: 'package-integrity',
    pattern:
      /code EINTEGRITY|integrity checksum failed when using \w+:? ?(?:wanted )?(\S*)|ERR_PNPM_TARBALL_INTEGRITY|THESE PACKAGES DO NOT MATCH THE HASHES|hash mismatch for (\S+)|verifying (\S+?)(?:\/go\.mod)?: checksum mismatch|checksum for `([^`]+)` changed between lock files|Integrity check failed for "([^"]+)"|NU1403|Bundler cannot continue installing (\S+)|checksum verification of the file failed/i,
    score: 95,
    classification: 'config',
    says: 'The package {} is not the one that the lockfile describes: its checksum (integrity) does not match.',
    fix: 'Find out why the package changed; then write the lockfile anew and commit it.',
    place: declared,
  },
  {
    rule: 'registry-unreachable',
    pattern:
      /npm (?:ERR!|error) network (?:request to (\S+) failed|.*)|npm (?:ERR!|error) code (?:ETIMEDOUT|ECONNRESET|ENOTFOUND|EAI_AGAIN|ERR_SOCKET_TIMEOUT)|ERR_PNPM_META_FETCH_FAIL\S*\s+GET (\S+?):? |(?:HTTPSConnectionPool\(host='([^']+)'.*(?:Read timed out|Max retries exceeded)).*pip|Could not transfer artifact (\S+) .*(?:timed out|Unknown host|Connection refused|No such host)|(?:dial tcp|Get "https:\/\/proxy\.golang\.org).*proxy\.golang\.org|Could not fetch specs from (\S+)|curl error \d+ while downloading (\S+)|failed to download from `(https?:\S+)`|Unable to load the service index for source (\S+?)\.?(?:$| )/,
    unless: /\b40[134]\b|attempt \d|WARNING: Retrying/i,
    score: 94,
    classification: 'infra',
    says: 'The package registry {} cannot be reached from the install step (network).',
    fix: 'Let the install reach the registry (network, proxy, DNS), or use a mirror that it can reach.',
    place: () => null,
  },
];

const peers: Wording = {
  ...plainRow({
    rule: 'peer-dependencies',
    pattern: /ERR_PNPM_PEER_DEP_ISSUES/,
    score: 94,
    classification: 'config',
    says: 'Peer dependencies contradict each other.',
    fix: 'Choose versions whose peer ranges overlap, and commit the new lockfile.',
  }),
  rootCause: (hit, file) => {
    const { owner, wants } = unmet(file, hit.at);
    return `Peer dependencies contradict each other${owner ? `: ${owner} asks for ${wants}` : ''} (ERR_PNPM_PEER_DEP_ISSUES).`;
  },
  place: (hit, file) => {
    const name = unmet(file, hit.at).owner.split(' ')[0] ?? '';
    return name === '' ? null : manifestLine(file, new RegExp(`"${escape(name)}"\\s*:`));
  },
};

/** pnpm prints a tree: the package, and under it what it misses. */
function unmet(file: CaseFile, at: number): { owner: string; wants: string } {
  const tree = file.lines.slice(at + 1, at + 20).map((line) => line.text);
  const wants = tree.findIndex((line) => /unmet peer|missing peer/.test(line));
  const above = tree.slice(0, Math.max(0, wants)).toReversed();
  const owner = above.map((line) => /[─┬┐ ]+(@?[\w./-]+ \d\S*)/.exec(line)?.[1]).find(Boolean);
  return {
    owner: owner ?? '',
    wants: /(?:unmet|missing) peer (.+)/.exec(tree[wants] ?? '')?.[1]?.trim() ?? 'another version',
  };
}

/** The package manager was refused, cannot reach its registry, or does not trust what it got. */
export const registry = fromWordings([...NEEDS_LOGIN.map(login), ...ROWS.map(plainRow), peers]);
