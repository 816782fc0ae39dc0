import { hits, lastLine, nameOf, said, shown, where } from '../case-file.ts';
import type { CaseFile, Rule } from '../case-file.ts';
import type { Candidate, Reference } from '../diagnosis.ts';
import type { Change, Probe } from '../evidence.ts';
import { isBreached, isSlow, onlyRefusal } from '../fault-signs.ts';
import { finding } from '../finding.ts';
import { classOfWords } from '../message-class.ts';
import { isSource, lineAt } from '../repository.ts';
import type { Place } from '../repository.ts';
import { askedInLoop, handlerOf, healthRoutes, slowLine } from '../handlers.ts';

/** It runs, but not as it should: no answer, the wrong answer, a late answer or too many errors. */
export const behaviour: Rule = (file) => [
  ...neverListens(file),
  ...file.evidence.probes.flatMap((probe) => [
    ...refusedHealth(file, probe),
    ...errors(file, probe),
  ]),
  ...slowest(file),
];

/** One slow path can hold up all the others, so the slowest is the one to blame. */
function slowest(file: CaseFile): Candidate[] {
  const slowOnes = file.evidence.probes.filter(isSlow);
  const worst = slowOnes.toSorted(
    (a, b) => (b.p50 ?? 0) - (a.p50 ?? 0) || (b.p99 ?? 0) - (a.p99 ?? 0),
  )[0];
  return worst === undefined ? [] : slow(file, worst);
}

function neverListens(file: CaseFile): Candidate[] {
  const { stage, timedOutMs, exit } = file.evidence;
  if (timedOutMs === null || exit !== null) return [];
  const seconds = Math.round(timedOutMs / 1000);
  if (stage === 'install' || stage === 'build') return [hungStep(file, seconds)];
  return listens(file) ? neverAnswers(file, seconds) : [lateStart(file, seconds)];
}

function listens({ evidence: { port } }: CaseFile): boolean {
  const listening = port?.listening ?? [];
  return listening.length > 0 && (port?.expected == null || listening.includes(port.expected));
}

/** The port is open, but a request gets nothing back. */
function neverAnswers(file: CaseFile, seconds: number): Candidate[] {
  const answered = file.evidence.probes.some(({ statuses }) =>
    Object.entries(statuses).some(([code, count]) => code !== '0' && count > 0),
  );
  if (answered) return [];
  const path = file.evidence.probes[0]?.path ?? '/';
  const handler = handlerOf(file, path);
  const place = slowLine(file, handler) ?? handler;
  return [
    finding(file, {
      rule: 'never-answers',
      tier: 'symptom',
      score: 55,
      at: Math.max(0, lastLine(file)),
      subject: `path:${path}`,
      rootCause: `The service listens, but gave no answer to ${path} within ${seconds} s (timeout)${where('; see ', place)}.`,
      classification: 'code',
      fix: 'Make every path of the handler end the response, and give what it waits for a time limit.',
      reproduction: `${file.evidence.command} & curl -i -m 5 http://127.0.0.1:${file.evidence.port?.expected ?? '$PORT'}${path}`,
      evidence: [{ text: `no output within ${seconds} s` }, ...shown(file, place)],
    }),
  ];
}

function lateStart(file: CaseFile, seconds: number): Candidate {
  const last = lastLine(file);
  const place = slowLine(file, null);
  const words = (file.lines[last]?.quote ?? '').slice(0, 120);
  const heard = words === '' ? '' : `; the last thing it said was "${words}"`;
  return finding(file, {
    rule: 'never-listens',
    tier: 'symptom',
    score: 55,
    at: Math.max(0, last),
    subject: 'timeout',
    rootCause: `The service did not listen on a port within ${seconds} s (timeout at start)${where('; ', place, ' holds it up')}${heard}.`,
    classification: 'code',
    fix: place
      ? `Listen first and do what ${nameOf(place)} waits for afterwards, or give it a time limit.`
      : 'Find what the start waits for (the last line of the log helps), listen early and give every wait a time limit.',
    evidence: [
      ...(last < 0 ? [{ text: `no output within ${seconds} s` }] : said(file, last)),
      ...shown(file, place),
    ],
  });
}

function hungStep(file: CaseFile, seconds: number): Candidate {
  const last = file.lines.findLastIndex((line) => line.text.trim() !== '');
  const prompt = hits(
    file,
    /\(y\/N\)|\[Y\/n\]|Ok to proceed|Press any key|\? .*›|Would you like|watching for (?:file )?changes/i,
  )[0];
  return finding(file, {
    rule: 'step-hung',
    tier: prompt ? 'cause' : 'symptom',
    score: prompt ? 88 : 50,
    at: prompt?.at ?? Math.max(0, last),
    subject: 'timeout',
    rootCause: prompt
      ? `The ${file.evidence.stage} step \`${file.evidence.command}\` never ends: it waits for an answer or watches for changes.`
      : `The ${file.evidence.stage} step \`${file.evidence.command}\` did not end within ${seconds} s (timeout).`,
    classification: 'config',
    fix: prompt
      ? 'Use the form of the command that asks nothing and ends (for example with --yes, or without --watch).'
      : 'Find out what the step waits for; it may need the network or a terminal.',
    evidence: said(file, prompt?.at ?? last),
  });
}

function refusedHealth(file: CaseFile, probe: Probe): Candidate[] {
  const code = onlyRefusal(probe);
  if (code === null) return [];
  const story =
    code === 401 || code === 403 ? locked(file, probe, code) : absent(file, probe, code);
  return [
    finding(file, {
      rule: 'health-path',
      tier: 'cause',
      score: 80,
      at: Infinity,
      subject: `path:${probe.path}`,
      rootCause: story.rootCause,
      classification: 'config',
      fix: story.fix,
      reproduction: curl(file, probe),
      evidence: [statusLine(probe), ...shown(file, story.place)],
    }),
  ];
}

type Story = { readonly rootCause: string; readonly fix: string; readonly place: Place | null };

function locked(file: CaseFile, probe: Probe, code: number): Story {
  return {
    rootCause: `The health path ${probe.path} asks for a login: every probe was answered with ${code}.`,
    fix: `Let ${probe.path} through without a login, or probe a public path.`,
    place: handlerOf(file, probe.path),
  };
}

function absent(file: CaseFile, probe: Probe, code: number): Story {
  const other = healthRoutes(file).find(({ path }) => path !== probe.path);
  const rootCause = `The health path ${probe.path} does not give a healthy answer: every probe got ${code}`;
  if (other === undefined)
    return {
      rootCause: `${rootCause}.`,
      fix: `Add ${probe.path} to the service, or name an existing path with --probe-path.`,
      place: handlerOf(file, probe.path),
    };
  return {
    rootCause: `${rootCause}, while the service has ${other.path} at ${nameOf(other.place)}.`,
    fix: `Probe ${other.path} (--probe-path=${other.path}), or add ${probe.path} to the service.`,
    place: other.place,
  };
}

function slow(file: CaseFile, probe: Probe): Candidate[] {
  const handler = handlerOf(file, probe.path);
  const looped = askedInLoop(file, handler);
  const culprit = slowLine(file, handler) ?? looped;
  const place = culprit ?? changedNear(file, handler) ?? handler;
  const changed = file.evidence.changes.some((change) => change.file === place?.file);
  const role = roleOf(place, handler, culprit, looped);
  return [
    finding(file, {
      rule: 'slow-endpoint',
      tier: culprit ? 'cause' : 'fault',
      score: 72 + (culprit ? 8 : 0) + (changed ? 6 : 0),
      at: Infinity,
      subject: place ? `source:${nameOf(place)}` : `path:${probe.path}`,
      rootCause: `${probe.path} is slow: ${measured(file, probe)}${where('; ', place, `${changed ? ', changed recently,' : ''} ${role}`)}.`,
      classification: 'code',
      fix: culprit
        ? `Take the waiting or blocking work at ${nameOf(culprit)} out of the request.`
        : 'Profile the handler under the same load; look at the recent changes first.',
      reproduction: curl(file, probe),
      evidence: [timings(probe), ...shown(file, place), ...shown(file, handler)],
    }),
  ];
}

function roleOf(
  place: Place | null,
  handler: Place | null,
  culprit: Place | null,
  looped: Place | null,
): string {
  if (culprit === null) return place === handler ? 'handles it' : 'is the likeliest place';
  return culprit === looped ? 'asks again for every element of a list' : 'waits or blocks';
}

function measured(file: CaseFile, probe: Probe): string {
  const before = file.evidence.previous?.p99;
  const compared = before == null ? '' : ` (the release before: ${Math.round(before)} ms)`;
  return `p99 is ${Math.round(probe.p99 ?? 0)} ms with a limit of ${probe.thresholds.maxP99Ms} ms${compared}`;
}

function timings({ p50, p95, p99, samples, path }: Probe): Reference {
  return {
    text: `p50 ${p50 ?? '-'} ms, p95 ${p95 ?? '-'} ms, p99 ${p99 ?? '-'} ms over ${samples} requests to ${path}`,
  };
}

/** With nothing suspicious to see, what was changed last is the best place to look. */
function changedNear(file: CaseFile, handler: Place | null): Place | null {
  const sources = file.evidence.changes.filter((change) => isSource(change.file));
  const chosen = sources.find((change) => change.file === handler?.file) ?? sources[0];
  const line = chosen?.added[0]?.line;
  return chosen === undefined || line === undefined ? null : { file: chosen.file, line };
}

/** Errors without a trace: the best that can be said is where the handler is and what changed. */
function errors(file: CaseFile, probe: Probe): Candidate[] {
  if (!isBreached(probe) || isSlow(probe) || onlyRefusal(probe) !== null) return [];
  const failing = Object.keys(probe.statuses).some((code) => code.startsWith('5'));
  const handler = handlerOf(file, probe.path);
  const changed = changeBehind(file, handler);
  const spoken = oftenSaid(file);
  const place = suspicious(changed) ?? named(changed, spoken) ?? handler;
  const outcome = failing ? 'fail with server errors (5xx)' : 'got no answer';
  const since = changed ? ` since ${changed.file} was changed` : '';
  const look = where(`; ${place === handler ? 'the handler is' : 'look'} at `, place);
  const heard = spoken === '' ? '' : ` ("${spoken}")`;
  return [
    finding(file, {
      rule: 'error-rate',
      tier: 'symptom',
      score: failing ? 58 : 45,
      at: Infinity,
      subject: place ? `source:${nameOf(place)}` : `path:${probe.path}`,
      rootCause: `${Math.round(probe.errorRate * 100)} % of the requests to ${probe.path} ${outcome}${since}${look}${heard}.`,
      classification: changed === undefined && classOfWords(spoken) === 'infra' ? 'infra' : 'code',
      fix: changed
        ? `Look at the recent change to ${changed.file} first, or take it back.`
        : 'Log the error with its stack in the handler, then look at what it says.',
      reproduction: curl(file, probe),
      evidence: [statusLine(probe), ...shown(file, place), ...addedBy(file, changed)],
    }),
  ];
}

function changeBehind(file: CaseFile, handler: Place | null): Change | undefined {
  const { changes } = file.evidence;
  return (
    changes.find((change) => change.file === handler?.file) ??
    changes.find((change) => isSource(change.file))
  );
}

/** The first lines of a change that are still as it left them. */
function addedBy(file: CaseFile, change: Change | undefined): Reference[] {
  return (change?.added ?? [])
    .filter(({ line, text }) => {
      const now = change && lineAt(file.repo, { file: change.file, line });
      return text.trim() !== '' && now?.trim() === text.trim();
    })
    .slice(0, 2)
    .flatMap(({ line }) => shown(file, change && { file: change.file, line }));
}

const COMPLAINT = /error|exception|fail|fatal|panic|cannot|undefined|invalid|refused/i;
const PART = /"(?:error|err|exception|message|msg|detail)"\s*:\s*"((?:[^"\\]|\\.)+)"/g;

/** What the log says most often while requests fail, without the frame of a structured line. */
function oftenSaid(file: CaseFile): string {
  const counts = new Map<string, number>();
  for (const { text } of file.lines.filter((line) => COMPLAINT.test(line.text))) {
    const parts = [...text.matchAll(PART)].map((match) => match[1] ?? '');
    const words = parts.toSorted((a, b) => b.length - a.length)[0] ?? text;
    const key = words
      .replace(/^[\d\s:.,TZ/[\]-]+/, '')
      .trim()
      .slice(0, 160);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

/** A changed line that names what the log complains about. */
function named(change: Change | undefined, spoken: string): Place | null {
  const words = new Set(spoken.toLowerCase().match(/[a-z_]{4,}/g));
  const added = change?.added.find(({ text }) =>
    (text.toLowerCase().match(/[a-z_]{4,}/g) ?? []).some((word) => words.has(word)),
  );
  return change && added ? { file: change.file, line: added.line } : null;
}

/** A changed line that throws or answers with an error by itself. */
function suspicious(change: Change | undefined): Place | null {
  const added = change?.added.find(({ text }) =>
    /\bthrow\b|raise\b|panic|\b50[0-3]\b|Math\.random|abort\(/.test(text),
  );
  return change && added ? { file: change.file, line: added.line } : null;
}

function statusLine(probe: Probe): Reference {
  const counts = Object.entries(probe.statuses).map(
    ([code, count]) => `${code === '0' ? 'no answer' : code} × ${count}`,
  );
  return { text: `probe ${probe.path}: ${counts.join(', ')}` };
}

function curl(file: CaseFile, probe: Probe): string {
  return `${file.evidence.command} & curl -i http://127.0.0.1:${file.evidence.port?.expected ?? '$PORT'}${probe.path}`;
}
