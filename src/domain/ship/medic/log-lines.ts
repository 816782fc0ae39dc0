/** One line of output as the rules read it, and as it may be quoted. */
export type LogLine = { readonly text: string; readonly quote: string };

const LONGEST_LINE = 1000;
const LONGEST_QUOTE = 300;
// A terminal obeys these; a reader of a card must not have to.
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const FOLDED_TRACE = /\\n\s*(?:at |File \\?"|#\d+ )/;

/** Splits a log into lines without terminal escapes; a stack folded into one JSON line is unfolded. */
export function logLines(log: string): LogLine[] {
  const raws = log.split(/\r?\n/);
  const bare = prefixRemover(raws);
  return raws.flatMap((raw) => {
    const whole = plain(raw).slice(0, LONGEST_LINE);
    const quote = whole.trim().slice(0, LONGEST_QUOTE);
    const text = bare(whole);
    if (!FOLDED_TRACE.test(text)) return [{ text, quote }];
    return text.split('\\n').map((part) => ({ text: part.replace(/\\"/g, '"'), quote }));
  });
}

/** Node prints the failing line of source above the error; its words are code, not a message. */
export function withoutExcerpts(lines: readonly LogLine[]): LogLine[] {
  return lines.map((line, at) => {
    const heading = /^(?:file:\/\/)?\/?[^\s()]+:\d+$/.test(lines[at - 1]?.text ?? '');
    const caret = /^\s*\^+\s*$/.test(lines[at + 1]?.text ?? '');
    return heading && caret ? { text: '', quote: line.quote } : line;
  });
}

export function plain(text: string): string {
  return text.replace(ESCAPES, '').replace(CONTROLS, '');
}

/** What build engines, container runtimes and log routers put in front of each line of a program. */
const PREFIXES: readonly RegExp[] = [
  /^#\d+ \d+\.\d+ /,
  /^\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)? (?:std(?:out|err) [FP] |(?:app|heroku|runner|proxy)\[[\w.-]+\]:? (?:[a-z]{3} \[\w+\] ?)?)?/,
  /^[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \S+ [\w.@-]+\[\d+\]: /,
  /^\[[0-9a-f]{4,12}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?\] /,
];
const COMPOSE = /^[a-z][\w.-]*\s*\| /;
const MOSTLY = 0.6;

function prefixRemover(raws: readonly string[]): (text: string) => string {
  const spoken = raws.filter((raw) => raw.trim() !== '');
  const composed = spoken.filter((raw) => COMPOSE.test(plain(raw))).length;
  // A pipe may be part of a message; it is a prefix when nearly every line has it.
  const shapes = composed > spoken.length * MOSTLY ? [COMPOSE, ...PREFIXES] : PREFIXES;
  return (text) => shapes.reduce((rest, shape) => rest.replace(shape, ''), text);
}
