/** Takes text in pieces and gives it back without secrets, also where a secret spans two pieces. */
export type Redactor = {
  readonly push: (chunk: string) => string;
  readonly flush: () => string;
};

export const REDACTED = '[redacted]';

const SHORTEST_KNOWN = 6;
const MOST_HELD = 64 * 1024;
const TAIL_KEPT = 8 * 1024;

/** Removes known values and everything that looks like a credential. */
export function redact(text: string, known: readonly string[] = []): string {
  return replace(text, secretSpans(text, spellings(known)));
}

/**
 * A redactor for a stream.
 *
 * It gives out whole lines only, because a secret may lie across the border of two chunks;
 * what is held back stays bounded.
 */
export function redactor(known: readonly string[] = []): Redactor {
  const values = spellings(known);
  const longest = values.reduce((most, value) => Math.max(most, value.length), 0);
  const tail = Math.max(TAIL_KEPT, longest);
  const most = Math.max(MOST_HELD, tail * 2);
  let held = '';
  let insideKey = false;

  function release(upTo: number, spans: readonly Span[]): string {
    const out = replace(
      held.slice(0, upTo),
      spans.filter((span) => span.end <= upTo),
    );
    held = held.slice(upTo);
    return out;
  }

  function push(chunk: string): string {
    held += chunk;
    if (insideKey && !leaveKey()) return '';
    const spans = secretSpans(held, values);
    const open = openKey(held);
    const whole = held.lastIndexOf('\n') + 1;
    const wanted = held.length - whole > most ? held.length - tail : whole;
    const cut = open < wanted ? held.lastIndexOf('\n', open - 1) + 1 : wanted;
    const safe = beforeSecret(cut, spans, held, values);
    if (held.length - open > most) return cutLongKey(open, spans);
    return release(safe, spans);
  }

  function cutLongKey(open: number, spans: readonly Span[]): string {
    const out = release(open, spans);
    held = held.slice(-tail);
    insideKey = true;
    return `${out}${REDACTED}`;
  }

  function leaveKey(): boolean {
    const end = KEY_END.exec(held);
    if (end === null) {
      held = held.slice(-tail);
      return false;
    }
    held = held.slice(end.index + end[0].length);
    insideKey = false;
    return true;
  }

  function flush(): string {
    if (insideKey) leaveKey();
    const out = insideKey ? '' : replace(held, secretSpans(held, values));
    held = '';
    insideKey = false;
    return out;
  }

  return { push, flush };
}

/** What must go, and where the words begin that give it away. */
type Span = { readonly from: number; readonly start: number; readonly end: number };

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/g;
const KEY_END = /-----END [A-Z0-9 ]*PRIVATE KEY-----/;

/** Every pattern keeps to one line; its group `secret` (or the whole match) is what must go. */
const LOOKS_SECRET: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\b(?:sk|rk|pk|whsec)[-_](?:live|test|ant|proj|or|svcacct)?[-_]?[A-Za-z0-9][\w-]{15,}/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w.-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\b(?:dop_v1|hf|fo1|FlyV1|SG|shpat|pypi|rnd)[_.-][\w.-]{20,}/g,
  /\bhttps:\/\/hooks\.slack\.com\/services\/(?<secret>[\w/]+)/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /\b(?:Bearer|Basic|Token)[ ]+(?<secret>[\w.~+/-]{8,}=*)/gi,
  /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/?#@"'`]{0,200}:(?<secret>[^\s/?#@"'`]{1,400})@/gi,
  /(?:pass(?:word|wd|phrase)?|pwd|secret|token|api_?key|apikey|access_?key|private_?key|signing_?key|encryption_?key|secret_key_base|credentials?|auth_?key|session_?key|client_?secret)[\w-]{0,40}\\?["'`]?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}\\?(?:"(?<d>[^"\n\\]{3,})|'(?<s>[^'\n\\]{3,})|`(?<b>[^`\n$\\]{3,})|(?<bare>(?!(?:process\.|os\.|ENV\b|env[.(:]|System|Deno|Bun|import\.|config|getenv|await|new |null\b|undefined\b|None\b|nil\b|true\b|false\b|string\b|str\b|String\b|required\b|missing\b|not |is |z\.|\$\{?|[({[<]|[A-Za-z_$][\w$]*[.([]))[^\s"'`,;)}\]]{6,}))/gi,
];

function secretSpans(text: string, values: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (const value of values)
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
      spans.push({ from: at, start: at, end: at + value.length });
  for (const begin of text.matchAll(KEY_BEGIN)) {
    const end = KEY_END.exec(text.slice(begin.index));
    const length = end === null ? text.length - begin.index : end.index + end[0].length;
    spans.push({ from: begin.index, start: begin.index, end: begin.index + length });
  }
  for (const pattern of LOOKS_SECRET)
    for (const match of text.matchAll(pattern)) spans.push(spanOf(match));
  return merged(spans);
}

function spanOf(match: RegExpMatchArray): Span {
  const start = match.index ?? 0;
  const part = Object.values(match.groups ?? {}).find((group) => group !== undefined);
  if (part === undefined) return { from: start, start, end: start + match[0].length };
  const secret = start + match[0].lastIndexOf(part);
  return { from: start, start: secret, end: secret + part.length };
}

function merged(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last !== undefined && span.start < last.end)
      out[out.length - 1] = {
        from: Math.min(last.from, span.from),
        start: last.start,
        end: Math.max(last.end, span.end),
      };
    else out.push(span);
  }
  return out;
}

function replace(text: string, spans: readonly Span[]): string {
  let out = '';
  let at = 0;
  for (const span of spans) {
    const lines = text.slice(span.start, span.end).split('\n').length - 1;
    // Line numbers after a secret of several lines stay true.
    out += text.slice(at, span.start) + REDACTED + '\n'.repeat(lines);
    at = span.end;
  }
  return out + text.slice(at);
}

/**
 * Moves a cut back until no secret lies across it and no known value may begin before it.
 *
 * What makes a text a secret may stand before it (`TOKEN=`), so the cut goes back to where that
 * begins, and to the border of a line where there is one.
 */
function beforeSecret(
  cut: number,
  spans: readonly Span[],
  text: string,
  values: readonly string[],
): number {
  let safe = cut;
  for (const value of values)
    if (value.includes('\n')) safe = Math.min(safe, unfinished(text, value));
  for (let moved = true; moved;) {
    const border = lineBorder(text, safe, cut);
    const across = spans.find((span) => span.from < border && span.end > border);
    moved = across !== undefined || border < safe;
    safe = across === undefined ? border : across.from;
  }
  return safe;
}

/** An overlong line has no border to go back to; there the cut stays where it is. */
function lineBorder(text: string, safe: number, cut: number): number {
  const atBorder = cut === 0 || text[cut - 1] === '\n';
  return atBorder ? text.lastIndexOf('\n', safe - 1) + 1 : safe;
}

/** Where the end of the text might be the beginning of the value. */
function unfinished(text: string, value: string): number {
  for (let size = Math.min(value.length - 1, text.length); size > 0; size--)
    if (text.endsWith(value.slice(0, size))) return text.length - size;
  return text.length;
}

function openKey(text: string): number {
  const begin = text.lastIndexOf('-----BEGIN ');
  if (begin < 0) return text.length;
  const rest = text.slice(begin);
  const isKey = rest.search(KEY_BEGIN) === 0 || !rest.slice(11).includes('-----');
  return isKey && !KEY_END.test(rest) ? begin : text.length;
}

/** A secret as it may appear in output: plain, escaped for JSON, for a URL, or in base64. */
function spellings(known: readonly string[]): string[] {
  const all = known
    .filter((value) => value.trim().length >= SHORTEST_KNOWN)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encoded(value), base64(value)]);
  return [...new Set(all)].toSorted((a, b) => b.length - a.length);
}

function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Written out because the pure core knows no Buffer. */
function base64(value: string): string {
  const bytes = [...encoded(value).matchAll(/%([0-9A-F]{2})|(.)/gs)].map((part) =>
    part[1] === undefined ? (part[2] ?? '').charCodeAt(0) : Number.parseInt(part[1], 16),
  );
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let out = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.slice(at, at + 3);
    const sixes = [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63];
    const used = Math.min(4, bytes.length - at + 1);
    out += sixes
      .slice(0, used)
      .map((six) => alphabet[six])
      .join('');
  }
  return out;
}
