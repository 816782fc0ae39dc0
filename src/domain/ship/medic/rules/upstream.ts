import { hits, nameOf, said, shown, traceAround, where } from '../case-file.ts';
import type { CaseFile, Hit, Rule } from '../case-file.ts';
import type { Candidate } from '../diagnosis.ts';
import { escape } from '../env-names.ts';
import { finding } from '../finding.ts';
import { changedLine } from '../places.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';

/** Something the service calls answers too late, or a request takes longer than its worker may live. */
export const upstream: Rule = (file) => [...lateUpstream(file), ...lateWorker(file)];

const LATE =
  /ECONNABORTED|timeout of \d+ ?ms exceeded|ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|(?:Connect|Headers|Body) Timeout Error|ReadTimeout|ConnectTimeout|Read timed out|SocketTimeoutException|HttpTimeoutException|HttpConnectTimeoutException|context deadline exceeded|Client\.Timeout exceeded|Net::(?:Read|Open)Timeout|Faraday::TimeoutError|cURL error 28|HttpClient\.Timeout of [\d.]+ seconds|upstream timed out|operation timed out|deadline has elapsed|DEADLINE_EXCEEDED|Deadline Exceeded|TimeoutError: (?:The operation was aborted due to timeout|signal timed out)|socket hang up|ECONNRESET/;
const ADDRESS =
  /https?:\/\/([\w.-]+(?::\d+)?)|\bhost='([\w.-]+)'|\bto ([\w-]+(?:\.[\w-]+)+(?::\d+)?)|Host "?([\w.-]+\.\w+)|getaddrinfo \w+ ([\w.-]+)|\b((?:[\w-]+\.)+(?:dev|com|net|org|io|internal|local|svc|cloud)(?::\d+)?)\b/;
const DATABASES =
  /:(?:5432|3306|6379|27017|5672|9092|9200|1433)\b|postgres|mysql|redis|mongo|pool/i;

function lateUpstream(file: CaseFile): Candidate[] {
  const hit = hits(file, LATE).find(
    ({ text }) => !/^\s*at |registry\.npmjs|\bnpm\b|DATABASE/.test(text),
  );
  if (hit === undefined || file.evidence.stage === 'install') return [];
  const near = file.lines
    .slice(Math.max(0, hit.at - 2), hit.at + 8)
    .map((line) => line.text)
    .join('\n');
  if (DATABASES.test(near)) return [];
  const host = addressIn(hit.text) ?? addressIn(near);
  if (host === null) return [];
  const place = callPlace(file, hit, host);
  const impatient = changedLine(file, /time_?out/i);
  return [
    finding(file, {
      rule: 'upstream-timeout',
      tier: 'cause',
      score: 82,
      at: hit.at,
      subject: `upstream:${host}`,
      rootCause: impatient
        ? `The call to ${host} runs into the time limit that was changed at ${nameOf(impatient)} ("${words(hit)}").`
        : `${host}, which this service calls, does not answer in time: "${words(hit)}"${where(' (called from ', place, ')')}.`,
      classification: impatient ? 'code' : 'infra',
      owned: 'developer',
      fix: impatient
        ? 'Give the call as much time as the other side needs.'
        : `Look at ${host} first; let this service answer sensibly while it is slow (time limit, retry with back-off, circuit breaker).`,
      evidence: [...said(file, hit.at), ...shown(file, impatient ?? place)],
    }),
  ];
}

const words = ({ match, text }: Hit): string => text.slice(match.index).trim().slice(0, 100);

function addressIn(text: string): string | null {
  return (
    ADDRESS.exec(text)
      ?.slice(1)
      .find((group) => group !== undefined) ?? null
  );
}

function callPlace(file: CaseFile, hit: Hit, host: string): Place | null {
  const name = escape(host.replace(/:\d+$/, ''));
  return traceAround(file, hit.at)?.places[0] ?? grep(file.repo, new RegExp(name))[0] ?? null;
}

const WORKER =
  /\[CRITICAL\] WORKER TIMEOUT|HARAKIRI|Terminating timed out worker|Rack::Timeout::\w+|Request ran for longer than|Maximum execution time of \d+ seconds? exceeded|execution timed out|FUNCTION_INVOCATION_TIMEOUT|Error R12|H12 .*Request timeout|killing worker.*timeout/;

/** Application servers end a worker whose request does not come to an end. */
function lateWorker(file: CaseFile): Candidate[] {
  const hit = hits(file, WORKER)[0];
  if (hit === undefined) return [];
  const trace = file.traces.find(({ at, places }) => at >= hit.at - 30 && places.length > 0);
  const place = trace?.places[0] ?? null;
  const path =
    hits(
      file,
      /(?:Error handling request |path=|"(?:GET|POST) |Started (?:GET|POST) )"?(\/[^\s"?]*)/,
    )[0]?.match[1] ?? '';
  return [
    finding(file, {
      rule: 'worker-timeout',
      tier: 'cause',
      score: 93,
      at: hit.at,
      subject: place ? `source:${nameOf(place)}` : 'worker',
      rootCause: `A request${path ? ` to ${path}` : ''} takes longer than its worker may run, so the server ends the worker (${hit.match[0].replace(/^\[CRITICAL\] /, '')})${where('; it waits at ', place)}.`,
      classification: 'code',
      fix: `Give the wait${where(' at ', place)} a time limit, or move the work out of the request.`,
      evidence: [...said(file, hit.at), ...shown(file, place)],
    }),
  ];
}
