import { hits, lastLine, locate, nameOf, said, shown, where } from '../case-file.ts';
import type { CaseFile, LocatedTrace, Rule } from '../case-file.ts';
import type { Candidate, Classification, Reference } from '../diagnosis.ts';
import type { Exit } from '../evidence.ts';
import { finding } from '../finding.ts';
import { classOfWords, placeOfWords } from '../message-class.ts';
import type { Place } from '../repository.ts';
import { finalWords, whereEnded, whereSpoken } from '../spoken.ts';
import { isBreached } from '../fault-signs.ts';

/** The program itself threw, at a place we can name. */
export const crash: Rule = (file) => [
  ...missingFile(file),
  ...traced(file),
  ...placed(file),
  ...untraced(file),
  ...exitedSilently(file),
];

function traced(file: CaseFile): Candidate[] {
  const burst = isErrorBurst(file);
  return file.traces.filter(isFailure).map((trace) => {
    const place = trace.places[0] ?? null;
    const touched = wasChanged(file, place);
    const quiet = isRejection(file, trace) ? 'unhandled-rejection' : 'uncaught-exception';
    return finding(file, {
      rule: burst ? 'error-burst' : quiet,
      tier: place === null ? 'symptom' : 'fault',
      score: weight(file, trace, touched),
      at: trace.at,
      subject: place ? `source:${nameOf(place)}` : `error:${trace.message}`,
      rootCause: sentence(file, trace, touched, burst),
      classification: classOfTrace(file, trace, burst),
      fix: `Handle the case ${where('at ', place) || 'that the trace names'}${touched ? ', or take the recent change to it back' : ''}.`,
      ...(burst ? { reproduction: probeCommand(file) } : {}),
      evidence: [
        ...said(file, trace.at),
        ...trace.places.slice(0, 3).flatMap((one) => shown(file, one)),
        ...(touched ? changeLine(file, place) : []),
      ],
    });
  });
}

/** An error of the language is the code's; other errors are what their words say. */
function classOfTrace(file: CaseFile, trace: LocatedTrace, burst: boolean): Classification {
  const kind = classOfWords(trace.message);
  const touched = wasChanged(file, trace.places[0] ?? null);
  // A request that fails over its settings fails over something that a person sent.
  return touched || (burst && kind === 'config') ? 'code' : kind;
}

/** A trace counts more when it is in our code, in changed code, the last before the end, or repeated. */
function weight(file: CaseFile, trace: LocatedTrace, touched: boolean): number {
  const { exit } = file.evidence;
  const isLast = exit !== null && exit.code !== 0 && file.traces.at(-1) === trace;
  const count = file.traces.filter((other) => other.message === trace.message).length;
  return (
    60 +
    (trace.places.length > 0 ? 10 : 0) +
    (touched ? 10 : 0) +
    (isLast ? 8 : 0) +
    Math.min(count, 5)
  );
}

function sentence(file: CaseFile, trace: LocatedTrace, touched: boolean, burst: boolean): string {
  const place = trace.places[0];
  const reason = /rejected with the reason "?(.*?)"?\.?\s*$/.exec(trace.message)?.[1];
  const words = (reason ?? trace.message).replace(/[.\s]+$/, '').slice(0, 200);
  const spot = where(' at ', place);
  const change = touched ? ', a line that was changed recently' : '';
  if (burst) return `Requests fail with server errors because of "${words}"${spot}${change}.`;
  const kind = isRejection(file, trace)
    ? 'A rejected promise that nothing handles'
    : 'An exception that nothing catches';
  return `${kind} stops the program: "${words}"${spot}${change}.`;
}

/** An error line that names a place of this repository without any stack. */
function placed(file: CaseFile): Candidate[] {
  const words = /\b(?:error|exception|fail(?:ed|ure)?|fatal|panic|cannot|undefined)\b/i;
  const printed =
    /(?<![\w.@/-])((?:[\w.@-]*\/)*[\w.@-]+\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|cs|exs?)):(\d+)/;
  return hits(file, printed)
    .filter(
      ({ text, at }) =>
        words.test(text) && !file.traces.some(({ from, to }) => at >= from && at <= to),
    )
    .slice(0, 3)
    .flatMap((hit) => {
      const place = locate(file, hit.match[1] ?? '', Number(hit.match[2]));
      if (place === null) return [];
      const touched = wasChanged(file, place);
      return [
        finding(file, {
          rule: 'placed-error',
          tier: 'fault',
          score: 62 + (touched ? 10 : 0),
          at: hit.at,
          subject: `source:${nameOf(place)}`,
          rootCause: `An error at ${nameOf(place)}${touched ? ', a line that was changed recently' : ''}: "${hit.text.trim().slice(0, 200)}".`,
          classification: 'code',
          fix: `Handle the case at ${nameOf(place)}${touched ? ', or take the recent change to it back' : ''}.`,
          evidence: [...said(file, hit.at), ...shown(file, place)],
        }),
      ];
    });
}

/** Traces that are only printed on the way (warnings) are no failure. */
function isFailure(trace: LocatedTrace): boolean {
  return (
    !/Warning\b|^\s*(?:warn|debug|info)\b/i.test(trace.message) ||
    /Error|Exception|panic/.test(trace.message)
  );
}

function isRejection(file: CaseFile, trace: LocatedTrace): boolean {
  const around = file.lines
    .slice(Math.max(0, trace.from - 8), trace.to + 8)
    .map((line) => line.text)
    .join('\n');
  return /UnhandledPromiseRejection|ERR_UNHANDLED_REJECTION|triggerUncaughtException\(err, true|Unhandled (?:promise )?[Rr]ejection/.test(
    around,
  );
}

function isErrorBurst(file: CaseFile): boolean {
  return file.evidence.probes.some(
    (probe) => isBreached(probe) && serverErrors(probe.statuses) > 0,
  );
}

const serverErrors = (statuses: Readonly<Record<string, number>>): number =>
  Object.entries(statuses).reduce(
    (sum, [code, count]) => (code.startsWith('5') ? sum + count : sum),
    0,
  );

function probeCommand(file: CaseFile): string {
  const probe = file.evidence.probes.find((one) => serverErrors(one.statuses) > 0);
  const port = file.evidence.port?.expected ?? '$PORT';
  return `${file.evidence.command} & curl -i http://127.0.0.1:${port}${probe?.path ?? '/'}`;
}

/** A change counts when it touched the line or one close to it. */
function wasChanged(file: CaseFile, place: Place | null): boolean {
  return file.evidence.changes.some(
    (change) =>
      change.file === place?.file &&
      change.added.some((added) => Math.abs(added.line - place.line) <= 3),
  );
}

function changeLine(file: CaseFile, place: Place | null): Reference[] {
  if (place === null) return [];
  const added = file.evidence.changes.find((change) => change.file === place.file)?.added ?? [];
  const nearest = added.toSorted(
    (a, b) => Math.abs(a.line - place.line) - Math.abs(b.line - place.line),
  )[0];
  return nearest ? shown(file, { file: place.file, line: nearest.line }) : [];
}

/** The program opens a file that is not part of the repository. */
function missingFile(file: CaseFile): Candidate[] {
  const words =
    /ENOENT: no such file or directory, (?:open|stat|lstat|scandir|access|readdir) '([^']+)'|FileNotFoundError: \[Errno 2\] No such file or directory: '([^']+)'|open ([^\s:]+): no such file or directory|FileNotFoundException: (\S+)|Errno::ENOENT.*@ rb_sysopen - (\S+)|Could not find file '([^']+)'|Failed to open stream: No such file.*?'?([\w./-]+)'?/;
  return hits(file, words)
    .slice(0, 1)
    .flatMap((hit) => {
      const raw = hit.match.slice(1).find((group) => group !== undefined) ?? '';
      const { cwd } = file.evidence;
      const thing = cwd !== null && raw.startsWith(`${cwd}/`) ? raw.slice(cwd.length + 1) : raw;
      if (thing.endsWith('package.json') && hit.text.includes('npm')) return [];
      const trace = file.traces.find(({ from, to }) => hit.at >= from - 8 && hit.at <= to + 8);
      const place = trace?.places[0] ?? null;
      return [
        finding(file, {
          rule: 'missing-file',
          tier: 'cause',
          score: 84,
          at: hit.at,
          subject: `path:${thing}`,
          rootCause: `The file ${thing}${place ? ` that ${nameOf(place)} opens` : ''} does not exist where the service runs.`,
          classification: 'config',
          fix: `Commit ${thing} or have the build make it, or take its path from a setting.`,
          evidence: [...said(file, hit.at), ...shown(file, place)],
        }),
      ];
    });
}

const FATAL =
  /(?:^|\s)(?:fatal|FATAL|panic|CRITICAL|Fatal)\b[:\]\s]|log\.Fatal|Uncaught|Unhandled|(?:^|\s)\**\s?\(?\w*(?:Error|Exception)\b.{0,3}:|^(?:E|e)rror:? |\berror:|npm ERR!|npm error/;

/** Error words without a stack. */
function untraced(file: CaseFile): Candidate[] {
  if (file.evidence.exit === null || file.evidence.exit.code === 0) return [];
  const hit = hits(file, FATAL).find(
    ({ text }) =>
      !/\b(?:0|no) errors?\b|warn|npm (?:ERR!|error) (?:code|errno|path|command|A complete log|Lifecycle|workspace|location|in workspace)/i.test(
        text,
      ),
  );
  if (hit === undefined) return [];
  const reason = /rejected with the reason "?(.*?)"?\.?\]?(?: \{)?\s*$/.exec(hit.text)?.[1];
  const words = (reason ?? hit.text)
    .trim()
    .replace(/^\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+Z? ?/, '')
    .replace(/[.\s]+$/, '')
    .slice(0, 200);
  const place = whereSpoken(file, words) ?? placeOfWords(file, words);
  return [
    finding(file, {
      rule: 'fatal-words',
      tier: 'symptom',
      score: 50,
      at: hit.at,
      subject: `error:${words}`,
      rootCause: `The program gave up and said: "${words}"${where(' (', place, ')')}.`,
      classification: classOfWords(words),
      fix: 'Follow the message; the trace of the program does not name a place.',
      evidence: [...said(file, hit.at), ...shown(file, place)],
    }),
  ];
}

/** Last resort: it ended, and nothing it printed explains why. */
function exitedSilently(file: CaseFile): Candidate[] {
  const { exit, stage } = file.evidence;
  if (exit === null) return [];
  if (exit.code !== 0) return [ended(file, exit)];
  return stage === 'start' || stage === 'ready' ? [endedEarly(file)] : [];
}

function ended(file: CaseFile, exit: Exit): Candidate {
  const last = finalWords(file, 1)[0] ?? -1;
  const how = exit.signal === null ? `code ${exit.code}` : `signal ${exit.signal}`;
  const words = (file.lines[last]?.quote ?? '').slice(0, 160);
  const heard = words === '' ? ' without a word' : `; its last words were "${words}"`;
  const place = whereItGaveUp(file, words, exit);
  return finding(file, {
    rule: 'exited',
    tier: 'symptom',
    score: place === null ? 20 : 52,
    at: Math.max(last, 0),
    subject: place === null ? 'exit' : `source:${nameOf(place)}`,
    rootCause: `The command \`${file.evidence.command}\` ended with ${how}${heard}${where(' (', place, ')')}.`,
    classification: classOfWords(words),
    fix:
      where('Look at ', place, ', where the program gives up.') ||
      'Run the command by hand and look at its full output.',
    evidence: [...(last < 0 ? [{ text: `exit ${how}` }] : said(file, last)), ...shown(file, place)],
  });
}

const whereItGaveUp = (file: CaseFile, words: string, exit: Exit): Place | null =>
  headed(file) ??
  whereSpoken(file, words) ??
  placeOfWords(file, words) ??
  whereEnded(file, exit.code ?? -1);

/** Node prints the place of a thrown value as a heading of its own. */
function headed(file: CaseFile): Place | null {
  const heading = hits(file, /^(?:file:\/\/)?(\/\S+):(\d+)$/)[0];
  return heading === undefined
    ? null
    : locate(file, heading.match[1] ?? '', Number(heading.match[2]));
}

function endedEarly(file: CaseFile): Candidate {
  const last = lastLine(file);
  return finding(file, {
    rule: 'ended-early',
    tier: 'symptom',
    score: 40,
    at: Math.max(last, 0),
    subject: 'exit',
    rootCause: `The command \`${file.evidence.command}\` ended at once with code 0 instead of staying up, so there was nothing to answer requests.`,
    classification: 'config',
    fix: 'Start the server in the foreground: the process must keep running and listen on PORT.',
    evidence: last < 0 ? [{ text: 'exit code 0' }] : said(file, last),
  });
}
