import type { Candidate, Reference } from './diagnosis.ts';
import { namesRead } from './env-names.ts';
import type { Evidence } from './evidence.ts';
import { logLines, plain, withoutExcerpts } from './log-lines.ts';
import type { LogLine } from './log-lines.ts';
import { placeBehind } from './compiled-source.ts';
import { lineAt, resolvePath } from './repository.ts';
import type { Place, Repository } from './repository.ts';
import { readTraces } from './traces.ts';
import type { Frame, Trace } from './traces.ts';

/** Everything a rule may look at. */
export type CaseFile = {
  readonly evidence: Evidence;
  readonly lines: readonly LogLine[];
  readonly repo: Repository;
  readonly traces: readonly LocatedTrace[];
  /** Environment variables that the sources read or the plan asks for. */
  readonly envNames: ReadonlySet<string>;
};

/** A stack trace whose frames were led back to files of this repository, innermost first. */
export type LocatedTrace = Trace & { readonly places: readonly Place[] };

export type Hit = { readonly match: RegExpExecArray; readonly at: number; readonly text: string };
export type Rule = (file: CaseFile) => Candidate[];

const LONGEST_TEXT = 300;
const MOST_HITS = 200;
const MOST_FRAMES = 60;
const MOST_TRACES = 60;

export function openCase(evidence: Evidence, repo: Repository): CaseFile {
  const lines = withoutExcerpts(logLines(evidence.log));
  const traces = someOf(readTraces(lines)).map((trace) => {
    const frames = trace.frames.slice(0, MOST_FRAMES).filter(({ file }) => !isLibrary(file));
    const places = frames
      .map((frame) => locate({ evidence, repo }, frame.file, frame.line))
      .filter((place) => place !== null);
    const behind = places.length > 0 ? [] : behindFrames(repo, lines, trace, frames);
    return { ...trace, places: [...places, ...behind] };
  });
  const envNames = new Set([...evidence.env.needed, ...namesRead(repo)]);
  return { evidence, lines, repo, traces, envNames };
}

function behindFrames(
  repo: Repository,
  lines: readonly LogLine[],
  trace: Trace,
  frames: readonly Frame[],
): Place[] {
  const quoted = lines
    .slice(Math.max(0, trace.from - 6), trace.at)
    .find(({ text, quote }) => text === '' && quote !== '');
  const place = frames
    .map(({ file }) => placeBehind(repo, file, quoted?.quote ?? '', trace.message))
    .find((one) => one !== null);
  return place == null ? [] : [place];
}

/** The first traces hold the root, the last ones the end; thousands between them are echoes. */
function someOf(traces: readonly Trace[]): readonly Trace[] {
  return traces.length <= MOST_TRACES
    ? traces
    : [...traces.slice(0, MOST_TRACES / 2), ...traces.slice(-MOST_TRACES / 2)];
}

/** Every log line that matches, up to a number that no honest log needs. */
export function hits(file: CaseFile, pattern: RegExp): Hit[] {
  const found: Hit[] = [];
  for (const [at, { text }] of file.lines.entries()) {
    const match = pattern.exec(text);
    if (match !== null) found.push({ match, at, text });
    if (found.length >= MOST_HITS) break;
  }
  return found;
}

/** A printed path and line as a place that really exists, or null. */
export function locate(
  file: Pick<CaseFile, 'evidence' | 'repo'>,
  printed: string,
  line: number,
): Place | null {
  const path = resolvePath(file.repo, printed, file.evidence);
  if (path === null) return null;
  const place = { file: path, line };
  return lineAt(file.repo, place) === null ? null : place;
}

/** Quotes a log line. */
export function said(file: CaseFile, at: number): Reference[] {
  const quote = file.lines[at]?.quote ?? '';
  return quote === '' ? [] : [{ text: quote }];
}

/** Quotes a line of the repository; nothing when the line is not there. */
export function shown(file: CaseFile, place: Place | null | undefined): Reference[] {
  if (place == null) return [];
  const text = lineAt(file.repo, place);
  return text === null
    ? []
    : [{ file: place.file, line: place.line, text: plain(text).trim().slice(0, LONGEST_TEXT) }];
}

/** A place within a sentence; nothing when there is no place to name. */
export const where = (before: string, place: Place | null | undefined, after = ''): string =>
  place == null ? '' : `${before}${nameOf(place)}${after}`;

export const nameOf = (place: Place): string => `${place.file}:${place.line}`;

/** The last line that says anything; -1 in an empty log. */
export const lastLine = (file: CaseFile): number =>
  file.lines.findLastIndex((line) => line.text.trim() !== '');

/** The trace that a log line belongs to. */
export function traceAround(file: CaseFile, at: number): LocatedTrace | null {
  return file.traces.find((trace) => at >= trace.from - 6 && at <= trace.to + 6) ?? null;
}

/** Shell words that run the failing command again from the repository's root. */
export function rerun(file: CaseFile): string {
  const { lanePath, command } = file.evidence;
  return lanePath === '.' || lanePath === '' ? command : `cd ${lanePath} && ${command}`;
}

const LIBRARY =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|vendor\/bundle|\.cargo|\.rustup|rustc|gems|\.m2|\.pnpm|\.venv|venv|deps)\/|^node:|^internal\/|^<|\/usr\/(?:local\/)?(?:lib|go|share)\/|\/lib\/python\d|(?:^|\/)vendor\//;

const isLibrary = (printed: string): boolean => LIBRARY.test(printed);
