import { hits, nameOf, said, shown } from '../case-file.ts';
import type { CaseFile, Rule } from '../case-file.ts';
import type { Candidate } from '../diagnosis.ts';
import { finding } from '../finding.ts';
import { grep } from '../repository.ts';
import type { Found } from '../repository.ts';

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
  /Failed to bind to (?:address )?\S*/,
  /BindException|:eaddrinuse|AddrInUse|Errno::EADDRINUSE/,
];

function portTaken(file: CaseFile): Candidate[] {
  const hit = TAKEN.flatMap((pattern) => hits(file, pattern))
    .filter(({ text }) => !/trying (?:another|next)|using (?:available )?port|instead/i.test(text))
    .toSorted((a, b) => a.at - b.at)[0];
  if (hit === undefined) return [];
  const port = portIn(hit.text) ?? portNear(file, hit.at) ?? file.evidence.port?.expected ?? null;
  const listens = listenLines(file);
  const fixed = listens.find(({ text }) => port !== null && hasFixedPort(text, port));
  const own = listens.filter(({ text }) => port !== null && mentions(text, port));
  const twice = own.length > 1 || (port !== null && announced(file, port, hit.at));
  const trace = file.traces.find(({ from, to }) => hit.at >= from - 8 && hit.at <= to + 8);
  const place = fixed ?? trace?.places[0] ?? listens[0] ?? null;
  const name = port === null ? 'The port' : `Port ${port}`;
  return [
    finding(file, {
      rule: 'port-in-use',
      tier: 'cause',
      score: 95,
      at: hit.at,
      subject: `port:${port ?? '?'}`,
      rootCause: twice
        ? `${name} is opened twice by the service itself${place ? ` (${nameOf(place)})` : ''}, so the second attempt finds it in use.`
        : `${name} is already in use, so the service could not listen on it${place ? ` (${nameOf(place)})` : ''}.`,
      classification: twice ? 'code' : fixed && ignoresPort(file, port) ? 'config' : 'infra',
      fix: twice
        ? 'Open the port in one place only.'
        : fixed
          ? `Read the port from PORT instead of the fixed number in ${nameOf(fixed)}, or end the process that holds it.`
          : `End the other process that holds ${name.toLowerCase()}, or give the service another one through PORT.`,
      evidence: [...said(file, hit.at), ...shown(file, place)],
    }),
  ];
}

function portMismatch(file: CaseFile): Candidate[] {
  const expected = file.evidence.port?.expected ?? null;
  if (expected === null || !mattersNow(file)) return [];
  const listening = file.evidence.port?.listening ?? [];
  const fromLog = listening.length > 0 ? null : announcedPort(file, expected);
  const actual = listening[0] ?? fromLog?.port ?? null;
  if (actual === null || listening.includes(expected)) return [];
  const place =
    listenLines(file).find(({ text }) => mentions(text, actual)) ?? fixedPort(file, actual);
  const at = fromLog?.at ?? announcedAt(file, actual);
  return [
    finding(file, {
      rule: 'port-mismatch',
      tier: 'cause',
      score: listening.length > 0 ? 88 : 70,
      at,
      subject: `port:${actual}`,
      rootCause: `The service listens on port ${actual}${place ? ` (${nameOf(place)})` : ''}, but port ${expected} was expected.`,
      classification: 'config',
      fix: `Make the service listen on the port in the PORT variable${place ? ` at ${nameOf(place)}` : ''}, or tell the plan that its port is ${actual}.`,
      evidence: [...(at === Infinity ? [] : said(file, at)), ...shown(file, place)],
    }),
  ];
}

const LOOPBACK = /(?:127\.0\.0\.1|localhost|\[?::1\]?)/;

function loopbackOnly(file: CaseFile): Candidate[] {
  const expected = file.evidence.port?.expected ?? null;
  const addresses = file.evidence.port?.addresses ?? [];
  const reached = file.evidence.probes.some(({ statuses }) =>
    Object.keys(statuses).some((code) => code !== '0'),
  );
  if (reached || expected === null || !mattersNow(file)) return [];
  const own = addresses.filter((address) => address.endsWith(`:${expected}`));
  const proved = own.length > 0 && own.every((address) => LOOPBACK.test(address));
  if (addresses.length > 0 && !proved) return [];
  const said1 = hits(
    file,
    new RegExp(
      `(?:listening|running|started|serving|ready|local|bound)\\b.*${LOOPBACK.source}:${expected}\\b`,
      'i',
    ),
  )[0];
  const place =
    grep(
      file.repo,
      new RegExp(
        `(?:listen|run|serve|bind|host|hostname|addr)\\w*\\b.*['"\`]?${LOOPBACK.source}`,
        'i',
      ),
    )[0] ?? null;
  if (!proved && (said1 === undefined || place === null)) return [];
  return [
    finding(file, {
      rule: 'loopback-only',
      tier: 'cause',
      score: proved ? 88 : 72,
      at: said1?.at ?? Infinity,
      subject: 'bind:loopback',
      rootCause: `The service listens on the loopback address only${place ? ` (${nameOf(place)})` : ''}, so nothing outside its own machine or container can reach port ${expected}.`,
      classification: 'config',
      fix: `Bind to 0.0.0.0${place ? ` at ${nameOf(place)}` : ''} (or take the host from a variable).`,
      evidence: [...(said1 ? said(file, said1.at) : []), ...shown(file, place)],
    }),
  ];
}

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

function hasFixedPort(text: string, port: number): boolean {
  return mentions(text, port) && !/env|getenv|ENV|\?\?|\|\|/.test(text);
}

function fixedPort(file: CaseFile, port: number): Found | null {
  return grep(file.repo, new RegExp(`\\bport\\b.*\\b${port}\\b|['":]${port}\\b`, 'i'))[0] ?? null;
}

const ignoresPort = (file: CaseFile, port: number | null): boolean =>
  port !== null && file.evidence.port?.expected !== null && file.evidence.port?.expected !== port;

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

function announcedPort(file: CaseFile, expected: number): { port: number; at: number } | null {
  const all = hits(file, ANNOUNCED).map(({ match, at }) => ({ port: Number(match[1]), at }));
  if (all.some(({ port }) => port === expected)) return null;
  return all.find(({ port }) => port >= 80) ?? null;
}

function announcedAt(file: CaseFile, port: number): number {
  return hits(file, ANNOUNCED).find(({ match }) => Number(match[1]) === port)?.at ?? Infinity;
}

function announced(file: CaseFile, port: number, before: number): boolean {
  return hits(file, ANNOUNCED).some(({ match, at }) => at < before && Number(match[1]) === port);
}
