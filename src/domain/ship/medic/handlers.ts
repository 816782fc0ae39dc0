import type { CaseFile } from './case-file.ts';
import { escape } from './env-names.ts';
import { grep, isSource, lineAt } from './repository.ts';
import type { Found, Place } from './repository.ts';

/** Where a request path is handled, when the source says it in plain words. */
export function handlerOf(file: CaseFile, path: string): Place | null {
  const bare = path.split('?')[0] ?? path;
  const quoted = new RegExp(`['"\`]${escape(bare)}/?['"\`]`);
  const candidates = grep(file.repo, quoted).filter(
    ({ text }) => !/^\s*(?:\/\/|#|\*)|fetch\(|curl/.test(text),
  );
  return candidates.find(({ text }) => ROUTE.test(text)) ?? candidates[0] ?? fileRoute(file, bare);
}

const ROUTE =
  /\.(?:get|post|all|use|route|add|handle|HandleFunc|Handle|MapGet)\(|@\w*\.?(?:get|route|Get|Request)\w*\(|@(?:Get|Request)Mapping|\bget ['"]|\burl\b|pathname|path\(|case /i;

/** Frameworks that route by file name. */
function fileRoute(file: CaseFile, path: string): Place | null {
  const name = path.replace(/^\//, '').replace(/\/$/, '') || 'index';
  const found = file.repo.paths.find(
    (one) =>
      isSource(one) &&
      new RegExp(
        `(?:^|/)(?:app|pages|routes|api)/(?:api/)?${escape(name)}(?:/(?:route|page|index|\\+server))?\\.[jt]sx?$`,
      ).test(one),
  );
  return found === undefined ? null : { file: found, line: 1 };
}

/** Paths in the source that sound like a health check. */
export function healthRoutes(file: CaseFile): { path: string; place: Found }[] {
  return grep(
    file.repo,
    /['"`](\/(?:[\w-]+\/)*(?:health\w*|ready\w*|live\w*|ping|status|up|heartbeat|_health)(?:\/[\w-]+)?)['"`]/i,
  ).map((place) => ({ path: place.match[1] ?? '', place }));
}

const BLOCKING =
  /\bsleep\w*\(|setTimeout\(|time\.Sleep|Thread\.sleep|\w+Sync\(|Atomics\.wait|while \(Date\.now\(\)|while \(performance|while time\.|for \(let \w+ = 0; \w+ < \d*(?:e[6-9]|_000_000|0000000)|Task\.Delay|usleep\(|:timer\.sleep|Process\.sleep|pg_sleep|SLEEP\(|busy|delay\(|\bwait\(|await \w+\(\s*[\d_]{3,}\s*\)/i;
const HANDLER_REACH = 30;

/**
 * The line that most likely makes things slow: in a recent change, else near the handler, else anywhere.
 */
export function slowLine(file: CaseFile, handler: Place | null): Place | null {
  const changed = file.evidence.changes.flatMap((change) =>
    change.added
      .filter(({ text }) => BLOCKING.test(text) && isSource(change.file))
      .map(({ line }) => ({ file: change.file, line })),
  );
  const confirmed = changed.find((place) => BLOCKING.test(lineAt(file.repo, place) ?? ''));
  if (confirmed) return confirmed;
  const all = grep(file.repo, BLOCKING).filter(
    ({ text }) =>
      !/^\s*(?:\/\/|#|\*)|^\s*(?:import|from|const \{)/.test(text) &&
      !/(?:exist|readFile)Sync\(.*(?:pem|package\.json)/.test(text),
  );
  if (handler === null) return all.find(({ text }) => !/\w+Sync\(/.test(text)) ?? null;
  const inside = all.filter(
    (place) =>
      place.file === handler.file &&
      place.line >= handler.line &&
      place.line <= handler.line + HANDLER_REACH,
  );
  return inside[0] ?? called(file, handler, all) ?? null;
}

const LOOP = /^\s*(?:for|while)\b|\.(?:map|forEach|each|flatMap)\b.*(?:async|=>|do \|)|\.each do/;
const ASKS =
  /\bawait\b|\.(?:query|execute|exec|get|find\w*|first\w*|fetch\w*|select|scalar\w*|one|where|load|Query\w*|Find\w*|First\w*)\(|\bfetch\(|requests\.|http\.|\.find_by|\.count\b/;
const LOOP_REACH = 6;

/** A question to a store or a service that is asked again for every element of a list. */
export function askedInLoop(file: CaseFile, handler: Place | null): Place | null {
  if (handler === null) return null;
  const lines = file.repo.lines(handler.file) ?? [];
  const end = Math.min(lines.length, handler.line + HANDLER_REACH);
  for (let at = handler.line; at < end; at++) {
    if (!LOOP.test(lines[at] ?? '')) continue;
    const inside = lines.slice(at + 1, at + LOOP_REACH);
    const found = inside.findIndex((line) => ASKS.test(line) && !LOOP.test(line));
    if (found >= 0) return { file: handler.file, line: at + found + 2 };
    if (ASKS.test((lines[at] ?? '').replace(LOOP, ''))) return { file: handler.file, line: at + 1 };
  }
  return null;
}

/** Slow work in a function that the handler calls by name. */
function called(file: CaseFile, handler: Place, slow: readonly Found[]): Place | null {
  const body = (file.repo.lines(handler.file) ?? [])
    .slice(handler.line - 1, handler.line + HANDLER_REACH)
    .join('\n');
  const calls = new Set([...body.matchAll(/\b([A-Za-z_]\w{2,})\(/g)].map((match) => match[1]));
  return (
    slow.find((place) => {
      const above = (file.repo.lines(place.file) ?? []).slice(
        Math.max(0, place.line - 15),
        place.line,
      );
      return above.some((line) =>
        [...line.matchAll(/(?:function\*?|def|func|const|let|fn)\s+(\w+)/g)].some((match) =>
          calls.has(match[1] ?? ''),
        ),
      );
    }) ?? null
  );
}
