import type { LogLine } from './log-lines.ts';

export type Frame = { readonly file: string; readonly line: number };

/** An error with the stack under or above it, frames innermost first. */
export type Trace = {
  readonly language: string;
  /** The error's own words, such as `TypeError: x is not a function`. */
  readonly message: string;
  /** Index of the log line with those words. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly frames: readonly Frame[];
};

type Reader = (lines: readonly LogLine[], at: number) => Trace | null;

/** Finds every stack trace in a log, whatever language printed it. */
export function readTraces(lines: readonly LogLine[]): Trace[] {
  const traces: Trace[] = [];
  for (let at = 0; at < lines.length; at++) {
    const trace = readAt(lines, at);
    if (trace === null) continue;
    traces.push(trace);
    at = Math.max(at, trace.to);
  }
  return traces;
}

function readAt(lines: readonly LogLine[], at: number): Trace | null {
  for (const read of READERS) {
    const trace = read(lines, at);
    if (trace !== null) return trace;
  }
  return null;
}

const V8_FRAME =
  /(?:^|\s)at (?:async )?(?:.*?\()?((?:file:\/\/)?[^\s():][^():]*|node:[^\s()]+):(\d+):\d+\)?(?![\w:])/;
const JVM_FRAME =
  /(?:^|\s)at (?:[\w.-]+\/+)*([\w$.<>]+)\.[\w$<>]+\(([\w$]+\.(?:java|kt|scala|groovy)):(\d+)\)/;
const DOTNET_FRAME = /(?:^|\s)at .+ in (.+\.(?:cs|fs|vb)):line (\d+)/;
const ANY_AT = /^\s*(?:\S+ )?at \S|^\s+at /;
const ERROR_WORDS =
  /((?:[A-Za-z_$][\w$]*\.)*[A-Z][\w$]*(?:Error|Exception|Rejection|Panic)?(?: \[[\w]+\])?: .+|(?:Error|Exception)\b.*|\b(?:error|fatal): .+)/;

/** Node, Deno, Bun, the JVM and .NET print the error first and then lines that begin with `at`. */
function errorThenAt(lines: readonly LogLine[], at: number): Trace | null {
  if (!ANY_AT.test(text(lines, at)) || frameOf(text(lines, at)) === null) return null;
  const from = at;
  let to = at;
  const frames: Frame[] = [];
  let header = headerAbove(lines, at);
  while (to < lines.length && isStackLine(text(lines, to))) {
    // The innermost cause comes last and is the one that matters.
    if (/^\s*Caused by: /.test(text(lines, to))) {
      frames.length = 0;
      header = to;
    }
    const frame = frameOf(text(lines, to));
    if (frame !== null) frames.push(frame);
    to++;
  }
  const words = text(lines, header);
  return {
    language: 'at',
    message: (ERROR_WORDS.exec(words)?.[1] ?? words).replace(/^\s*Caused by: /, '').trim(),
    at: header,
    from: Math.min(from, header),
    to: to - 1,
    frames,
  };
}

function isStackLine(line: string): boolean {
  return (
    ANY_AT.test(line) || /^\s*(?:Caused by: |\.\.\. \d+ (?:more|common)|--- End of)/.test(line)
  );
}

function headerAbove(lines: readonly LogLine[], at: number): number {
  for (let up = at - 1; up >= Math.max(0, at - 12); up--)
    if (ERROR_WORDS.test(text(lines, up)) && !ANY_AT.test(text(lines, up))) return up;
  return Math.max(0, at - 1);
}

function frameOf(line: string): Frame | null {
  const dotnet = DOTNET_FRAME.exec(line);
  if (dotnet) return { file: dotnet[1] ?? '', line: Number(dotnet[2]) };
  const jvm = JVM_FRAME.exec(line);
  if (jvm) return { file: jvmPath(jvm[1] ?? '', jvm[2] ?? ''), line: Number(jvm[3]) };
  const v8 = V8_FRAME.exec(line);
  return v8 ? { file: v8[1] ?? '', line: Number(v8[2]) } : null;
}

function jvmPath(className: string, file: string): string {
  const folders = className.split('.').slice(0, -1);
  return [...folders, file].join('/');
}

const PYTHON_FRAME = /^\s*(?:\|\s*)?File "(.+?)", line (\d+)/;

/** Python prints the outermost call first and the error last. */
function python(lines: readonly LogLine[], at: number): Trace | null {
  if (!PYTHON_FRAME.test(text(lines, at))) return null;
  const indent = /^\s*/.exec(text(lines, at))?.[0].length ?? 0;
  const frames: Frame[] = [];
  let to = at;
  while (to < lines.length && belongsToPython(text(lines, to), indent)) {
    const frame = PYTHON_FRAME.exec(text(lines, to));
    if (frame) frames.unshift({ file: frame[1] ?? '', line: Number(frame[2]) });
    to++;
  }
  return {
    language: 'python',
    message: text(lines, to).trim(),
    at: Math.min(to, lines.length - 1),
    from: at,
    to: Math.min(to, lines.length - 1),
    frames,
  };
}

function belongsToPython(line: string, indent: number): boolean {
  const own = /^\s*/.exec(line)?.[0].length ?? 0;
  return line.trim() !== '' && own >= indent && own > 0;
}

/** Go prints `panic: words`, then goroutines with a tab before each file. */
function go(lines: readonly LogLine[], at: number): Trace | null {
  const head = /(?:^|\s)(panic: .+|fatal error: .+|panic serving \S+: .+)/.exec(text(lines, at));
  if (!head) return null;
  const frames: Frame[] = [];
  let to = at;
  for (let next = at + 1; next < Math.min(lines.length, at + 80); next++) {
    const frame = /^\s+(\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?$/.exec(text(lines, next));
    if (frame) frames.push({ file: frame[1] ?? '', line: Number(frame[2]) });
    if (frame || text(lines, next).startsWith('goroutine ')) to = next;
  }
  return frames.length === 0
    ? null
    : { language: 'go', message: head[1] ?? '', at, from: at, to, frames };
}

/** Rust names the place in the head line; the words follow on the next line in newer versions. */
function rust(lines: readonly LogLine[], at: number): Trace | null {
  const head = text(lines, at);
  const newer = /thread '[^']*'(?: \(\d+\))? panicked at (\S+?):(\d+):\d+:$/.exec(head);
  if (newer) {
    const message = text(lines, at + 1).trim();
    const frames = [{ file: newer[1] ?? '', line: Number(newer[2]) }];
    return { language: 'rust', message, at: at + 1, from: at, to: at + 1, frames };
  }
  const older = /thread '[^']*' panicked at '(.*)', (\S+?):(\d+):\d+/.exec(head);
  if (!older) return null;
  const frames = [{ file: older[2] ?? '', line: Number(older[3]) }];
  return { language: 'rust', message: older[1] ?? '', at, from: at, to: at, frames };
}

const RUBY_FRAME = /(?:^|\s|from )((?:[./\w@-]+\/)?[\w.@-]+\.(?:rb|ru|rake)):(\d+):in [`'"]/;

/** Ruby puts the place before the words and the callers after `from`. */
function ruby(lines: readonly LogLine[], at: number): Trace | null {
  const first = RUBY_FRAME.exec(text(lines, at));
  if (!first) return null;
  const frames: Frame[] = [];
  let to = at;
  while (to < lines.length && RUBY_FRAME.test(text(lines, to))) {
    const frame = RUBY_FRAME.exec(text(lines, to));
    frames.push({ file: frame?.[1] ?? '', line: Number(frame?.[2]) });
    to++;
  }
  const own = /:in [`'"][^'"]*['"]: (.+)$/.exec(text(lines, at))?.[1];
  const above = own === undefined ? Math.max(0, lastWords(lines, at - 1)) : at;
  const message = (own ?? text(lines, above)).trim();
  return { language: 'ruby', message, at: above, from: Math.min(above, at), to: to - 1, frames };
}

function lastWords(lines: readonly LogLine[], from: number): number {
  let up = from;
  while (up > 0 && from - up < 4 && /^\s*(?:\[[\w-]+\])?\s*$/.test(text(lines, up))) up--;
  return up;
}

/** PHP names file and line in the words themselves. */
function php(lines: readonly LogLine[], at: number): Trace | null {
  const head =
    /(?:PHP )?((?:Fatal error|Parse error|Uncaught \w+|Warning)\b.*?) in (\/?\S+\.php)(?::| on line )(\d+)/.exec(
      text(lines, at),
    );
  if (!head || /^(?:PHP )?Warning/.test(head[0])) return null;
  const frames = [{ file: head[2] ?? '', line: Number(head[3]) }];
  let to = at;
  for (let next = at + 1; next < Math.min(lines.length, at + 40); next++) {
    const frame = /^\s*#\d+ (\S+\.php)\((\d+)\)/.exec(text(lines, next));
    if (frame) frames.push({ file: frame[1] ?? '', line: Number(frame[2]) });
    if (frame || /Stack trace:/.test(text(lines, next))) to = next;
  }
  return { language: 'php', message: (head[1] ?? '').trim(), at, from: at, to, frames };
}

const ELIXIR_FRAME = /^\s+(?:\([\w-]+ [\w.+-]+\) )?((?:[\w.-]+\/)*[\w.-]+\.exs?):(\d+)(?::|$)/;

/** Elixir prints `** (Module) words` and then application, file and line. */
function elixir(lines: readonly LogLine[], at: number): Trace | null {
  const head = /\*\* \(([\w.]+)\) (.*)/.exec(text(lines, at));
  if (!head) return null;
  const frames: Frame[] = [];
  let to = at;
  for (let next = at + 1; next < Math.min(lines.length, at + 40); next++) {
    const frame = ELIXIR_FRAME.exec(text(lines, next));
    if (!frame) continue;
    if (!/^\s+\((?:elixir|stdlib|phoenix|ecto|plug|mix|kernel)[\w-]* /.test(text(lines, next)))
      frames.push({ file: frame[1] ?? '', line: Number(frame[2]) });
    to = next;
  }
  return { language: 'elixir', message: `${head[1]}: ${head[2]}`, at, from: at, to, frames };
}

const READERS: readonly Reader[] = [errorThenAt, python, go, rust, ruby, php, elixir];

const text = (lines: readonly LogLine[], at: number): string => lines[at]?.text ?? '';
