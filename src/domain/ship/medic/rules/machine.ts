import { locate } from '../case-file.ts';
import type { CaseFile, Hit } from '../case-file.ts';
import { escape } from '../env-names.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';
import { caught, fromWordings } from './wording.ts';

const whereNamed = (file: CaseFile, hit: Hit): Place | null => {
  const base = caught(hit).split('/').at(-1) ?? '';
  return base.length < 3
    ? null
    : (grep(file.repo, new RegExp(`['"/\`]${escape(base)}['"/\`]`))[0] ?? null);
};

/** The machine, its file system or its network said no. */
export const machine = fromWordings([
  {
    rule: 'disk-full',
    pattern: /ENOSPC|[Nn]o space left on device|There is not enough space on the disk/,
    unless: /file watchers/,
    score: 96,
    classification: 'infra',
    subject: () => 'disk',
    rootCause: () => 'The disk is full: there is no space left to write to (ENOSPC).',
    fix: () =>
      'Free space or give the lane a larger disk; write temporary files to a place that is cleaned.',
  },
  {
    rule: 'read-only',
    pattern:
      /attempt to write a readonly database|SQLITE_READONLY|READONLY You can't write against a read only|in a read-only transaction|--(?:super-)?read-only option so it cannot|EROFS[^'"]*['"]?([^'"]*)|Read-only file system(?:: '([^']+)')?/,
    score: 94,
    classification: 'config',
    subject: (hit) => `path:${caught(hit)}`,
    rootCause: (hit) =>
      /readonly|read.only (?:replica|trans|option)|READONLY/.test(hit.match[0])
        ? `The service writes to a data store that is read-only here: ${hit.match[0]}.`
        : `The service writes${caught(hit).includes('/') ? ` to ${caught(hit).split(/\s/).at(-1)}` : ''} on a read-only file system.`,
    fix: () => 'Write to a mounted volume or to the temporary directory instead.',
    place: (hit, file) => whereNamed(file, hit),
  },
  {
    rule: 'open-files',
    pattern: /EMFILE|ENFILE|[Tt]oo many open files/,
    score: 92,
    classification: 'infra',
    subject: () => 'files',
    rootCause: () => 'The process ran out of file descriptors: too many open files.',
    fix: () =>
      'Close files and connections after use, pool them, or raise the limit of open files.',
  },
  {
    rule: 'watchers',
    pattern: /ENOSPC: System limit for number of file watchers/,
    score: 97,
    classification: 'infra',
    subject: () => 'watchers',
    rootCause: () =>
      'The limit of file watchers is used up; the start command seems to run a development server.',
    fix: () => 'Start the production command instead of a watching one, or raise the limit.',
  },
  {
    rule: 'permission',
    pattern:
      /EACCES: permission denied, (?:\w+) '([^']+)'|PermissionError: \[Errno 13\] Permission denied: '([^']+)'|listen EACCES: permission denied (\S+)|open ([^\s:]+): permission denied|AccessDeniedException: (\S+)|Errno::EACCES.*@ \w+ - (\S+)|Access to the path '([^']+)' is denied|EPERM: operation not permitted, \w+ '([^']+)'|(?:stream or file|file_put_contents|fopen|mkdir)\(?\s?"?([\w./-]+)"?\)?.*Permission denied|Permission denied @ \w+ - (\S+)|mkdir (\S+): permission denied|(\/[\w./-]+): Permission denied$|Permission denied \(os error 13\)/,
    score: 93,
    classification: 'config',
    subject: (hit) => `path:${caught(hit)}`,
    rootCause: (hit) =>
      /listen/.test(hit.match[0])
        ? `The service may not listen on ${caught(hit)}: permission denied (ports under 1024 need privileges).`
        : `The service has no permission for ${caught(hit)}: permission denied.`,
    fix: (hit) =>
      /listen/.test(hit.match[0])
        ? 'Listen on the port in PORT.'
        : `Give the service’s user access to ${caught(hit)}, or use a path it owns.`,
    place: (hit, file) => whereNamed(file, hit),
  },
  {
    rule: 'permission-flag',
    pattern:
      /Requires (\w+) access to .*--allow-\w+|Access to this API has been restricted.*--(allow-[\w-]+)/,
    score: 93,
    classification: 'config',
    subject: (hit) => `permission:${caught(hit)}`,
    rootCause: (hit) =>
      `The runtime refuses ${caught(hit)} access, because the start command does not allow it.`,
    fix: (hit) => `Add the flag that allows ${caught(hit)} to the start command.`,
  },
  {
    rule: 'unsettled-await',
    pattern: /Detected unsettled top-level await at (?:file:\/\/)?(\S+):(\d+)/,
    score: 92,
    classification: 'code',
    subject: () => 'await',
    rootCause: () =>
      'The program waits at its top level for a promise that nothing will ever settle.',
    fix: () =>
      'Make sure that the awaited promise is settled, or start listening before waiting for it.',
    place: (hit, file) => locate(file, hit.match[1] ?? '', Number(hit.match[2])),
  },
  {
    rule: 'missing-setting',
    pattern:
      /[Cc]onnection string '([^']+)' (?:not found|is missing|was not)|ConnectionString property has not been initialized|[Cc]onfiguration (?:key|value|section|setting) ['"]?([\w:.]+)['"]? (?:not found|is missing|is required|was not)/,
    score: 88,
    classification: 'config',
    subject: (hit) => `setting:${caught(hit, 'connection')}`,
    rootCause: (hit) =>
      `The setting ${caught(hit, 'for the connection')} is missing from the configuration.`,
    fix: (hit) =>
      `Provide ${caught(hit, 'the connection string')} in the settings or the environment of this lane.`,
  },
  {
    rule: 'tls',
    pattern:
      /(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT\w*|CERT_HAS_EXPIRED|ERR_TLS_CERT_ALTNAME_INVALID|CERTIFICATE_VERIFY_FAILED|x509: [^\n]+|PKIX path building failed|SSLHandshakeException|certificate has expired|certificate verify failed|self[- ]signed certificate|unable to get local issuer certificate|The SSL connection could not be established|invalid peer certificate)/,
    score: 90,
    classification: 'infra',
    subject: () => 'tls',
    rootCause: (hit, file) =>
      `A TLS connection failed because the certificate was not accepted: ${tlsCode(file, hit)}.`,
    fix: () =>
      'Renew the certificate or add the issuing authority to the trusted ones; do not switch verification off.',
  },
  {
    rule: 'tls-file',
    pattern: /ENOENT: no such file or directory, open '([^']+\.(?:pem|crt|key|cert))'/,
    score: 93,
    classification: 'config',
    subject: (hit) => `path:${caught(hit)}`,
    rootCause: (hit) => `The certificate or key file ${caught(hit)} does not exist.`,
    fix: () =>
      'Provide the file as a secret of the lane, or serve plain HTTP behind the platform’s TLS.',
    place: (hit, file) => whereNamed(file, hit),
  },
  {
    rule: 'dns',
    pattern:
      /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)|could not translate host name "([^"]+)"|Name or service not known|Temporary failure in name resolution|no such host|lookup ([\w.-]+)(?: on \S+)?: no such host|UnknownHostException: ([\w.-]+)|nodename nor servname|php_network_getaddresses|:nxdomain|failed to lookup address information/,
    score: 91,
    classification: 'infra',
    subject: (hit, file) => `host:${hostNear(file, hit)}`,
    rootCause: (hit, file) =>
      `The host name ${hostNear(file, hit) || 'of a service'} cannot be resolved (DNS).`,
    fix: (hit, file) =>
      `Correct the host name ${hostNear(file, hit)} in the environment, or run where that name is known.`,
    place: (hit, file) => {
      const host = hostNear(file, hit);
      return host === '' ? null : (grep(file.repo, new RegExp(escape(host)))[0] ?? null);
    },
  },
  {
    rule: 'rate-limited',
    pattern:
      /\b429\b.{0,60}(?:Too Many Requests|rate)|rate[- ]?limit(?:ed)? (?:exceeded|reached|hit)|RateLimitError|(?:status(?: code)?|HTTP)[ :=]+429|Too Many Requests/i,
    tier: 'fault',
    score: 85,
    classification: 'infra',
    subject: () => 'upstream:429',
    rootCause: (hit) =>
      `A service that this one calls refuses more requests: it answered 429, rate limited${hostIn(hit.text)}.`,
    fix: () => 'Slow the calls down (cache, back off, queue) or ask for a higher limit.',
  },
  {
    rule: 'upstream-login',
    pattern:
      /https?:\/\/[\w.-]+.{0,120}\b(40[13])\b|\b(40[13])\b (?:Unauthorized|Forbidden|Client Error).{0,160}|(?:status(?: code)?|HTTP(?:\/[\d.]+)?)[ :=]+(40[13])\b.*/,
    unless:
      /npm|registry|pip|maven|"(?:GET|POST|PUT|HEAD) \/|(?:GET|POST|PUT|HEAD) \/\S* ?40|for url: http:\/\/(?:localhost|127)/,
    tier: 'fault',
    score: 81,
    classification: 'config',
    subject: () => 'upstream:login',
    rootCause: (hit) =>
      `A service that this one calls refuses it: ${hit.text.includes('{') ? messageIn(hit.text) : hit.text.trim().slice(0, 140)}${hostIn(hit.text)}.`,
    fix: () => 'Give the service valid credentials (and rights) for the one it calls.',
  },
  {
    rule: 'upstream-error',
    pattern:
      /(?:upstream|request to|response from|fetch\w*|call(?:ing|ed)?|api|gateway|provider)\b.{0,80}\b(50[0234]\b.*)|(?:Request failed with status code|HTTPError: |HTTP Error |status code:?) ?(50\d)|(?:Bad Gateway|Service Unavailable|Gateway Timeout) for url/i,
    tier: 'fault',
    score: 82,
    classification: 'infra',
    subject: () => 'upstream:5xx',
    rootCause: (hit) =>
      `A service that this one calls fails: it answered ${caught(hit, '5xx').slice(0, 3)}${hostIn(hit.text)}.`,
    fix: () =>
      'Look at that service first; let this one retry with back-off and answer sensibly while it is down.',
  },
]);

function tlsCode(file: CaseFile, hit: Hit): string {
  const near = file.lines
    .slice(hit.at, hit.at + 8)
    .map((line) => line.text)
    .join('\n');
  const words = caught(hit).trim();
  const code = /code: '([A-Z_]*(?:CERT|SIGNATURE)[A-Z_]*)'/.exec(near)?.[1];
  return code === undefined || words.includes(code) ? words : `${words} (${code})`;
}

function hostNear(file: CaseFile, hit: Hit): string {
  if (caught(hit) !== '') return caught(hit);
  const near = file.lines
    .slice(Math.max(0, hit.at - 3), hit.at + 6)
    .map((line) => line.text)
    .join('\n');
  return /(?:host(?:name)?[:=]? ?['"]?|\/\/|@)([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i.exec(near)?.[1] ?? '';
}

const hostIn = (text: string): string => {
  const host = /https?:\/\/([\w.-]+(?::\d+)?)/.exec(text)?.[1];
  return host === undefined ? '' : ` (${host})`;
};

/** The message of a structured line, or the line itself. */
const messageIn = (text: string): string =>
  (/"(?:error|err|msg|message)"\s*:\s*"((?:[^"\\]|\\.)+)"/.exec(text)?.[1] ?? text).slice(0, 140);
