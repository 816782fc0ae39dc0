import { hits, nameOf, said, shown, traceAround, where } from '../case-file.ts';
import type { CaseFile, Hit, Rule } from '../case-file.ts';
import type { Candidate } from '../diagnosis.ts';
import { finding } from '../finding.ts';
import { lineIn } from '../places.ts';
import { grep } from '../repository.ts';
import type { Found, Place } from '../repository.ts';

/** The port is taken, is another one than agreed, or is open to the machine itself only. */
export const ports: Rule = (file) => {
  const taken = portTaken(file);
  return taken.length > 0 ? taken : [...portMismatch(file), ...loopbackOnly(file)];
};

const TAKEN = [
  /EADDRINUSE/,
  /[Aa]ddress (?:is )?already in use/,
  /[Pp]ort (\d{2,5}) (?:is|was) (?:already )?(?:in use|taken|occupied)/,
  /Only one usage of each socket address/,
  /[Bb]ind for \S+ failed: port is already allocated|[Pp]orts are not available/,
  /Failed to bind to (?:address )?\S*/,
  /BindException|:eaddrinuse|AddrInUse|Errno::EADDRINUSE/,
];

function portTaken(file: CaseFile): Candidate[] {
  const hit = TAKEN.flatMap((pattern) => hits(file, pattern))
    .filter(({ text }) => !/trying (?:another|next)|using (?:available )?port|instead/i.test(text))
    .toSorted((a, b) => a.at - b.at)[0];
  if (hit === undefined) return [];
  const port = portIn(hit.text) ?? portNear(file, hit.at) ?? expectedPort(file);
  const story = storyOf(file, port, hit.at);
  return [
    finding(file, {
      rule: 'port-in-use',
      tier: 'cause',
      score: 95,
      at: hit.at,
      subject: `port:${port ?? '?'}`,
      ...story,
      evidence: [...said(file, hit.at), ...shown(file, story.place)],
    }),
  ];
}

type Story = Pick<Candidate, 'rootCause' | 'classification' | 'fix'> & { place: Place | null };

/** Whose fault a taken port is: the service's own, a fixed number's, or another process's. */
function storyOf(file: CaseFile, port: number | null, at: number): Story {
  const listens = listenLines(file);
  const own = listens.filter(({ text }) => port !== null && mentions(text, port));
  const fixed = own.find(({ text }) => !/env|getenv|ENV|\?\?|\|\|/.test(text)) ?? null;
  const place =
    fixed ?? published(file, port, at) ?? traceAround(file, at)?.places[0] ?? listens[0] ?? null;
  const name = port === null ? 'The port' : `Port ${port}`;
  if (own.length > 1 || announced(file, port, at))
    return {
      rootCause: `${name} is opened twice by the service itself${where(' (', place, ')')}, so the second attempt finds it in use.`,
      classification: 'code',
      fix: 'Open the port in one place only.',
      place,
    };
  const rootCause = `${name} is already in use, so the service could not listen on it${where(' (', place, ')')}.`;
  if (fixed !== null && expectedPort(file) !== port)
    return {
      rootCause,
      classification: 'config',
      fix: `Read the port from PORT instead of the fixed number in ${nameOf(fixed)}, or end the process that holds it.`,
      place,
    };
  const fix = `End the other process that holds ${name.toLowerCase()}, or give the service another one through PORT.`;
  return { rootCause, classification: 'infra', fix, place };
}

/** Containers publish ports by a line of their compose file. */
function published(file: CaseFile, port: number | null, at: number): Place | null {
  if (port === null || !/allocated|not available/.test(file.lines[at]?.text ?? '')) return null;
  return lineIn(
    file,
    new RegExp(`\\b${port}:|published:\\s*['"]?${port}\\b`),
    /compose[\w.-]*\.ya?ml$/,
  );
}

const expectedPort = (file: CaseFile): number | null => file.evidence.port?.expected ?? null;

function portMismatch(file: CaseFile): Candidate[] {
  const expected = expectedPort(file);
  const actual = actualPort(file, expected);
  if (expected === null || actual === null || !mattersNow(file)) return [];
  const listening = listenLines(file).find(({ text }) => mentions(text, actual));
  const place = written(file, expected) ?? listening ?? fixedPort(file, actual);
  const at = announcedAt(file, actual);
  return [
    finding(file, {
      rule: 'port-mismatch',
      tier: 'cause',
      score: file.evidence.port?.listening.includes(actual) ? 88 : 70,
      at,
      subject: `port:${actual}`,
      rootCause: `The service listens on port ${actual}${where(' (', place, ')')}, but port ${expected} was expected.`,
      classification: 'config',
      fix: `Make the service listen on the port in the PORT variable${where(' at ', place)}, or tell the plan that its port is ${actual}.`,
      evidence: [...said(file, at), ...shown(file, place)],
    }),
  ];
}

/** A manifest of ours that asks for a port which the service never opens. */
function written(file: CaseFile, expected: number): Place | null {
  const { ownedFiles } = file.evidence;
  const asked = new RegExp(
    `(?:internal_port|containerPort|container_port|EXPOSE|targetPort|\\bPORT)['"]?\\s*[:= ]\\s*['"]?${expected}\\b`,
  );
  return grep(file.repo, asked, (path) => ownedFiles.includes(path))[0] ?? null;
}

/** The port that is really open, by the system's word or else by the service's own; null when it is the right one. */
function actualPort(file: CaseFile, expected: number | null): number | null {
  const listening = file.evidence.port?.listening ?? [];
  if (listening.length > 0)
    return listening.some((port) => port === expected) ? null : (listening[0] ?? null);
  const spoken = hits(file, ANNOUNCED).map(({ match }) => Number(match[1]));
  const right = spoken.some((port) => port === expected);
  return right ? null : (spoken.find((port) => port >= 80) ?? null);
}

const LOOPBACK = /(?:127\.0\.0\.1|localhost|\[?::1\]?)/;

function loopbackOnly(file: CaseFile): Candidate[] {
  const expected = expectedPort(file);
  if (expected === null || !mattersNow(file)) return [];
  const word = hits(file, announcedLocally(expected))[0];
  const bound = grep(file.repo, BOUND_LOCALLY)[0] ?? null;
  const proved = isProvedLocal(file, expected);
  const supposed = word !== undefined && bound !== null;
  return (proved ?? supposed) ? [onlyHere(file, expected, word, bound, proved === true)] : [];
}

function onlyHere(
  file: CaseFile,
  expected: number,
  word: Hit | undefined,
  bound: Place | null,
  proved: boolean,
): Candidate {
  const place = bound ?? grep(file.repo, OPENS)[0] ?? null;
  const at = word?.at ?? Infinity;
  return finding(file, {
    rule: 'loopback-only',
    tier: 'cause',
    score: proved ? 88 : 72,
    at,
    subject: 'bind:loopback',
    rootCause: `The service listens on the loopback address (${loopbackName(file, word?.text ?? '')}) only${where(' (', place, ')')}, so nothing outside its own machine or container can reach port ${expected}.`,
    classification: 'config',
    fix: `Bind to 0.0.0.0${where(' at ', place)} (or take the host from a variable).`,
    evidence: [...said(file, at), ...shown(file, place)],
  });
}

const loopbackName = (file: CaseFile, text: string): string =>
  LOOPBACK.exec(`${file.evidence.port?.addresses?.join(' ') ?? ''} ${text}`)?.[0] ?? '127.0.0.1';

const OPENS = /\.listen\(|\bserve\(|ListenAndServe|uvicorn\.run|app\.run\(|HTTPServer\(|\.bind\(/i;

/** Null when the system did not tell the addresses. */
function isProvedLocal(file: CaseFile, expected: number): boolean | null {
  const addresses = file.evidence.port?.addresses ?? [];
  if (addresses.length === 0) return null;
  const own = addresses.filter((address) => address.endsWith(`:${expected}`));
  return own.length > 0 && own.every((address) => LOOPBACK.test(address));
}

const BOUND_LOCALLY = new RegExp(
  `(?:listen|run|serve|bind|host|hostname|addr)\\w*\\b.*['"\`]?${LOOPBACK.source}`,
  'i',
);

const announcedLocally = (port: number): RegExp =>
  new RegExp(
    `(?:listening|running|started|serving|ready|local|bound)\\b.*${LOOPBACK.source}:${port}\\b`,
    'i',
  );

/** Ports are only to blame when nothing answered. */
function mattersNow(file: CaseFile): boolean {
  const { stage, exit, probes } = file.evidence;
  if (stage === 'install' || stage === 'build') return false;
  const answered = probes.some(({ statuses }) =>
    Object.entries(statuses).some(([code, count]) => code !== '0' && count > 0),
  );
  return exit === null && !answered;
}

const LISTEN =
  /\.listen\(|\blisten\(|\bserve\(|ListenAndServe|\.bind\(|TcpListener|uvicorn\.run|app\.run\(|run_simple|HTTPServer\(|UseUrls|\bserver\.port|set :port|\bport\s*[:=]/i;

function listenLines(file: CaseFile): Found[] {
  return grep(file.repo, LISTEN);
}

const mentions = (text: string, port: number): boolean => new RegExp(`\\b${port}\\b`).test(text);

function fixedPort(file: CaseFile, port: number): Found | null {
  return grep(file.repo, new RegExp(`\\bport\\b.*\\b${port}\\b|['":]${port}\\b`, 'i'))[0] ?? null;
}

function portIn(text: string): number | null {
  const found =
    /(?:EADDRINUSE|in use|bind|listen)[^\d]*(?:(?:\d{1,3}\.){3}\d{1,3}|:::?|\[::\d?\]|0|\*)?:?(\d{2,5})\b/i.exec(
      text,
    ) ??
    /[Pp]ort:? (\d{2,5})/.exec(text) ??
    /:(\d{2,5})\b/.exec(text);
  return found ? Number(found[1]) : null;
}

function portNear(file: CaseFile, at: number): number | null {
  for (const { text } of file.lines.slice(Math.max(0, at - 6), at + 20)) {
    const found =
      /port:? ['"]?(\d{2,5})/i.exec(text) ?? /(?:\d|\*|\]|localhost):(\d{2,5})\b(?!:)/.exec(text);
    if (found) return Number(found[1]);
  }
  return null;
}

const ANNOUNCED =
  /(?:listening|running|started|serving|ready|available|bound|local|up)\b.{0,60}?(?:port[ :=]*|:)(\d{2,5})\b/i;

function announcedAt(file: CaseFile, port: number): number {
  return hits(file, ANNOUNCED).find(({ match }) => Number(match[1]) === port)?.at ?? Infinity;
}

function announced(file: CaseFile, port: number | null, before: number): boolean {
  return hits(file, ANNOUNCED).some(({ match, at }) => at < before && Number(match[1]) === port);
}
