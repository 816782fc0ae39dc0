import { hits, lastLine, nameOf, rerun, said, shown, traceAround } from '../case-file.ts';
import type { CaseFile, LocatedTrace, Rule } from '../case-file.ts';
import { sourceBehind } from '../compiled-source.ts';
import { finalWords, whereEnded, whereSpoken } from '../spoken.ts';
import type { Candidate } from '../diagnosis.ts';
import { envNamesBehind, envNamesIn, escape, whereRead } from '../env-names.ts';
import { finding } from '../finding.ts';
import { grep, lineAt } from '../repository.ts';
import type { Place } from '../repository.ts';

/** The service needs an environment variable that it was not given. */
export const missingEnv: Rule = (file) => [
  ...named(file),
  ...listed(file),
  ...schemaPaths(file),
  ...lookups(file),
  ...namedByError(file),
  ...behindCrash(file),
  ...behindExit(file),
  ...neededButAbsent(file),
];

type Clue = { readonly name: string; readonly at: number; readonly score: number };

const FIXED_FORMS = 6;
const MOST_NAMES = 60;
const PLAIN: readonly RegExp[] = [
  /environment variable not found: ["'`]?([A-Za-z_]\w+)/i,
  /Could not resolve placeholder '([\w.]+?)(?::[^']*)?' in value/,
  /required key ([A-Z]\w+) missing value/,
  /Set the ([A-Z]\w+) environment variable/,
  /\b([A-Za-z_]\w+) not found\. Declare it as envvar/,
  /could not fetch environment variable "([^"]+)"/,
  /environment variable ["'`]?([A-Za-z_]\w{2,})["'`]? (?:is|was|not|must|has|should|isn't|wasn't)\b/i,
  /(?:missing|required|undefined|unset|no|need)[^.]{0,30}\b(?:env(?:ironment)?(?: ?var(?:iable)?)?s?|config(?:uration)?)\b[^A-Za-z]{0,6}(?:named )?["'`]?([A-Z][A-Z0-9_]{2,})\b/i,
  /["'`]?\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)["'`]?(?: env(?:ironment)?(?: var(?:iable)?)?)? (?:is|was|are|must be|has to be|should be|needs to be|isn't|wasn't|not)\b[^.]{0,25}?\b(?:required|missing|not set|set|unset|undefined|empty|provided|configured|defined|present|specified|found)\b/,
  /\b(?:missing|required|undefined|unset|must set|please set|expected|requires?|need|provide)\b[^A-Z\n]{0,40}["'`]?\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/i,
  /["'`]?\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)["'`]?\s*(?:is|:|=|->|→|-)?\s*(?:required|missing|undefined|Required|not set|unset|None|null)\b/,
];
const CODE =
  /^(?:ERR|MODULE|ECONN|SELF_SIGNED|UNABLE|CERT|DEPTH|HTTP|NODE_MODULES|SSL|MAX|NOT_FOUND|INTERNAL|ER_|FUNCTION|P\d)|_NOT_FOUND$|_ERROR$|_FAILED$|_VERSION$|_ISSUER|^E[A-Z]+$/;

/** Libraries and programs that say the name in a sentence. */
function named(file: CaseFile): Candidate[] {
  const clues = file.lines.flatMap(({ text }, at) => {
    for (const [index, pattern] of PLAIN.entries()) {
      const name = pattern.exec(text)?.[1];
      if (name !== undefined && isName(file, name, index) && mayBeMissing(file, name))
        return [{ name: name.trim(), at, score: index < 8 ? 95 : 90 }];
    }
    return [];
  });
  const all = [...clues, ...bareNames(file), ...knownPhrases(file)];
  return firstOfEach(all).flatMap((clue) => card(file, clue));
}

/** The same name said again says nothing new. */
function firstOfEach(clues: readonly Clue[]): Clue[] {
  const seen = new Set<string>();
  return clues.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** Sentences with a fixed form may name anything; in a loose one only capitals are a name. */
const isName = (file: CaseFile, name: string, index: number): boolean =>
  index < FIXED_FORMS || /^[A-Z][A-Z0-9_]+$/.test(name) || known(file, name);

/** A name without an underscore counts only when the plan says that it is needed. */
function bareNames(file: CaseFile): Clue[] {
  const absent = file.evidence.env.needed.filter((name) => mayBeMissing(file, name));
  return absent.flatMap((name) =>
    hits(file, new RegExp(`\\b${escape(name)}\\b`))
      .filter(({ text }) =>
        /\b(?:missing|required|not set|undefined|unset|must|empty|invalid|expected)\b/i.test(text),
      )
      .slice(0, 1)
      .map(({ at }) => ({ name, at, score: 95 })),
  );
}

const PHRASES: readonly [RegExp, string][] = [
  [/No application encryption key has been specified/, 'APP_KEY'],
  [/Missing `?secret_key_base`? for/, 'SECRET_KEY_BASE'],
  [/Missing encryption key to decrypt file with/, 'RAILS_MASTER_KEY'],
  [/The SECRET_KEY setting must not be empty/, 'SECRET_KEY'],
];

function knownPhrases(file: CaseFile): Clue[] {
  return PHRASES.flatMap(([pattern, setting]) =>
    hits(file, pattern).map(({ at }) => {
      const name = envNamesBehind(file.repo, setting)[0]?.name ?? setting;
      return { name, at, score: 92 };
    }),
  );
}

/** A heading such as "Missing environment variables:" with names under it or after it. */
function listed(file: CaseFile): Candidate[] {
  const heading =
    /(?:missing|invalid|required|undefined)[^:]{0,30}\benv(?:ironment)?\b[^:]{0,20}(?::|$)/i;
  return hits(file, heading).flatMap(({ at, text }) => {
    const block = [
      text.replace(heading, ''),
      ...file.lines.slice(at + 1, at + 9).map((line) => line.text),
    ];
    const names = block.flatMap((line) =>
      /^\s*at /.test(line) ? [] : (line.match(/\b[A-Z][A-Z0-9_]{2,}\b/g) ?? []),
    );
    return [...new Set(names)]
      .filter((name) => mayBeMissing(file, name) && (name.includes('_') || known(file, name)))
      .slice(0, 4)
      .flatMap((name) => card(file, { name, at: lineOf(file, name, at), score: 94 }));
  });
}

/** Schema libraries print the path of the field that was absent. */
function schemaPaths(file: CaseFile): Candidate[] {
  const absent = /Required|received undefined|"undefined"|Field required|received: ?undefined/i;
  const path =
    /^\s*(?:"path": ?\[ ?)?"([A-Za-z_]\w+)"(?: ?\],?)?\s*$|"path":\s*\[\s*"([A-Za-z_]\w+)"|→ at ([A-Za-z_]\w+)|^([a-z]\w+)$/;
  return hits(file, path).flatMap(({ match, at }) => {
    const raw = match[1] ?? match[2] ?? match[3] ?? match[4] ?? '';
    const near = file.lines
      .slice(Math.max(0, at - 5), at + 4)
      .map((line) => line.text)
      .join('\n');
    const name = match[4] === undefined ? raw : settingName(file, at, raw);
    const fits = absent.test(near) && mayBeMissing(file, name) && /^[A-Z][A-Z0-9_]+$/.test(name);
    const field = match[4] === undefined ? null : fieldLine(file, raw);
    return fits ? card(file, { name, at, score: 93 }, field) : [];
  });
}

const fieldLine = (file: CaseFile, field: string): Place | null =>
  grep(file.repo, new RegExp(`^\\s+${escape(field)}\\s*:`))[0] ?? null;

/** A settings class names its variables after its fields, with a prefix of its own. */
function settingName(file: CaseFile, at: number, field: string): string {
  const prefix = grep(file.repo, /env_prefix['"]?\s*[:=]\s*['"](\w*)['"]/);
  const near = traceAround(file, at)?.places.map((place) => place.file) ?? [];
  const own = prefix.find((found) => near.includes(found.file)) ?? prefix[0];
  return `${own?.match[1] ?? ''}${field}`.toUpperCase();
}

/** A failed look-up by key, where the key is read from the environment. */
function lookups(file: CaseFile): Candidate[] {
  const key =
    /KeyError: ['"]([A-Za-z_]\w*)['"]|key not found: "([^"]+)"|\bNotPresent\b|environment variable not found/;
  return hits(file, key).flatMap(({ match, at }) => {
    const trace = traceAround(file, at);
    const place = trace?.places[0] ?? null;
    const source = place === null ? '' : (lineAt(file.repo, place) ?? '');
    const name = match[1] ?? match[2] ?? envNamesIn(source)[0] ?? '';
    const around = file.lines
      .slice(Math.max(0, at - 12), at + 8)
      .map((line) => line.text)
      .join('\n');
    const fromEnv =
      envNamesIn(source).includes(name) ||
      /environ|\bENV\b|env::var/.test(around) ||
      known(file, name);
    return fromEnv && mayBeMissing(file, name) ? card(file, { name, at, score: 95 }, place) : [];
  });
}

const HOLLOW =
  /undefined|null|None\b|nil\b|NaN|Invalid URL|invalid url|must have a value|provided|required|must be|empty|ArgumentNull|NullPointer|not configured|apiKey|credentials|connection string|Assertion|missing|no |invalid/i;
const GUARD_REACH = 3;

/** A crash on a value that comes from a variable nobody set. */
function behindCrash(file: CaseFile): Candidate[] {
  return file.traces.flatMap((trace) => {
    const place = trace.places[0];
    if (place === undefined) return insideCompiled(file, trace);
    const source = lineAt(file.repo, place) ?? '';
    const direct = envNamesIn(source).map((name) => ({ name, at: place, score: 80 }));
    const words = file.lines
      .slice(trace.at, trace.to + 10)
      .map((line) => line.text)
      .join('\n');
    const refusedValue = direct.find(({ name }) => isRefused(file, name, trace.message));
    if (refusedValue !== undefined) return badValue(file, refusedValue.name, trace.at);
    const behind = HOLLOW.test(words) ? behindLines(file, place) : [];
    return [...direct, ...behind]
      .filter(({ name }) => mayBeMissing(file, name) && !hasDefault(file, name))
      .slice(0, 2)
      .flatMap(({ name, at, score }) => card(file, { name, at: trace.at, score }, at));
  });
}

/** A quiet end: the place that spoke the last words, or that ends with this code, stands under a condition. */
function behindExit(file: CaseFile): Candidate[] {
  const { exit } = file.evidence;
  if (exit === null || exit.code === null || exit.code === 0 || file.traces.length > 0) return [];
  const spoken = finalWords(file, 3).flatMap((at) => {
    const place = whereSpoken(file, file.lines[at]?.text ?? '');
    return place === null ? [] : [{ place, at }];
  });
  const ended = spoken.length > 0 ? null : whereEnded(file, exit.code);
  const places = ended === null ? spoken : [{ place: ended, at: Infinity }];
  return places.flatMap(({ place, at }) =>
    behindLines(file, place, GUARD_REACH)
      .filter(({ name }) => mayBeMissing(file, name) && !hasDefault(file, name))
      .slice(0, 1)
      .flatMap((found) => card(file, { name: found.name, at, score: 76 }, found.at)),
  );
}

/** Built code names no line of ours; then what its source file reads is all there is to go by. */
function insideCompiled(file: CaseFile, trace: LocatedTrace): Candidate[] {
  const path = trace.frames
    .map((frame) => sourceBehind(file.repo, frame.file))
    .find((one) => one !== null);
  if (path == null || !HOLLOW.test(trace.message)) return [];
  return grep(file.repo, /env/i, (one) => one === path)
    .flatMap((at) => envNamesIn(at.text).map((name) => ({ name, at })))
    .filter(({ name }) => mayBeMissing(file, name) && !hasDefault(file, name))
    .slice(0, 1)
    .flatMap(({ name, at }) => card(file, { name, at: trace.at, score: 72 }, at));
}

/** The failing line, and the condition just above a `throw`. */
function behindLines(
  file: CaseFile,
  place: Place,
  least = 0,
): { name: string; at: Place; score: number }[] {
  const failing = lineAt(file.repo, place) ?? '';
  const stops = /\b(?:throw|raise|panic|fail|exit|abort|assert)\w*\b/i.test(failing);
  const reach = stops ? GUARD_REACH : least;
  const lines = Array.from(
    { length: reach + 1 },
    (_, up) => lineAt(file.repo, { file: place.file, line: place.line - up }) ?? '',
  );
  return lines.flatMap((line, up) => [
    ...envNamesIn(line).map((name) => ({
      name,
      at: { file: place.file, line: place.line - up },
      score: 80,
    })),
    ...envNamesBehind(file.repo, line.replace(/(["'`])(?:(?!\1).)*\1/g, '')).map(
      ({ name, at }) => ({ name, at, score: 78 }),
    ),
  ]);
}

/**
 * A variable that the source reads is named by the error itself.
 *
 * This needs no knowledge of the words: the name is in the code, and the program died over it.
 */
function namedByError(file: CaseFile): Candidate[] {
  const clues = lastWords(file).flatMap((at) => {
    const names = (file.lines[at]?.text ?? '').match(/\b[A-Z][A-Z0-9_]{2,}\b/g) ?? [];
    return names.map((name) => ({ name, at, score: 91 }));
  });
  return firstOfEach(clues)
    .slice(0, MOST_NAMES)
    .filter(({ name }) => known(file, name) || (name.includes('_') && isQuoted(file, name)))
    .flatMap((clue) => {
      if (mayBeMissing(file, clue.name)) return card(file, clue);
      const text = file.lines[clue.at]?.text ?? '';
      const given = file.evidence.env.given.includes(clue.name) && clue.name !== 'PATH';
      return given && isComplaint(text) ? badValue(file, clue.name, clue.at) : [];
    });
}

/** A name in a list of names is read just as well. */
const isQuoted = (file: CaseFile, name: string): boolean =>
  grep(file.repo, new RegExp(`['"\`]${escape(name)}['"\`]`)).length > 0;

/** The failing line parses a variable that was given. */
const isRefused = (file: CaseFile, name: string, message: string): boolean =>
  file.evidence.env.given.includes(name) &&
  /JSON|Invalid URL|parse|NaN|invalid|malformed/i.test(message);

const isComplaint = (text: string): boolean =>
  /must|invalid|expected|unsupported|unknown|should|not (?:a|one|valid)|cannot parse|malformed/i.test(
    text,
  );

/** Lines in which a program says why it gives up: the words of its traces and those that sound fatal. */
function lastWords(file: CaseFile): number[] {
  const { exit } = file.evidence;
  const traced = file.traces.map((trace) => trace.at);
  const fatal = hits(
    file,
    /\b(?:fatal|error|critical|panic|missing|required|refus|abort|invalid|cannot|must)\w*/i,
  )
    .filter(
      ({ text }) => !/^\s*at |\bwarn(?:ing)?\b|optional|using default|falling back/i.test(text),
    )
    .map(({ at }) => at);
  if (exit === null || exit.code === 0) return traced;
  const end = lastLine(file);
  const final = [end - 2, end - 1, end].filter((at) => at >= 0);
  return [...new Set([...traced, ...fatal, ...final])];
}

function badValue(file: CaseFile, name: string, at: number): Candidate[] {
  const place = whereRead(file.repo, name)[0] ?? null;
  return [
    finding(file, {
      rule: 'bad-env-value',
      tier: 'cause',
      score: 78,
      at,
      subject: `env:${name}`,
      rootCause: `The environment variable ${name} has a value that the service does not accept${place ? ` (${nameOf(place)})` : ''}.`,
      classification: 'config',
      owned: 'developer',
      fix: `Give ${name} a value that the message in the log allows.`,
      evidence: [...said(file, at), ...shown(file, place)],
    }),
  ];
}

/** Nothing in the log says it, but the plan knows of names that were not given. */
function neededButAbsent(file: CaseFile): Candidate[] {
  const { exit, stage } = file.evidence;
  if (exit === null || exit.code === 0 || stage === 'install') return [];
  return file.evidence.env.needed
    .filter((name) => mayBeMissing(file, name))
    .slice(0, 3)
    .flatMap((name) => card(file, { name, at: Infinity, score: 25 }));
}

function card(file: CaseFile, clue: Clue, seen: Place | null = null): Candidate[] {
  const { name } = clue;
  const place = seen ?? whereRead(file.repo, name)[0] ?? null;
  const sure = clue.score > 30;
  return [
    finding(file, {
      rule: 'missing-env',
      tier: sure ? 'cause' : 'symptom',
      score: clue.score,
      at: clue.at,
      subject: `env:${name}`,
      rootCause: sure
        ? `The environment variable ${name} is not set${place ? `, and ${nameOf(place)} needs it` : ''}.`
        : `The environment variable ${name} is needed but was not given, and the process ended with an error.`,
      classification: 'config',
      owned: 'developer',
      fix: `Give ${name} a value for this lane (for a rehearsal: --env ${name}=… or an env file; for a release: stage it as a secret), or give it a default where it is read.`,
      reproduction: `env -u ${name} ${rerun(file).includes('&&') ? `sh -c '${rerun(file)}'` : rerun(file)}`,
      evidence: [...(clue.at === Infinity ? [] : said(file, clue.at)), ...shown(file, place)],
    }),
  ];
}

function mayBeMissing(file: CaseFile, name: string): boolean {
  if (name.length < 2 || file.evidence.env.given.includes(name)) return false;
  return known(file, name) || !CODE.test(name);
}

const known = (file: CaseFile, name: string): boolean => file.envNames.has(name);

function hasDefault(file: CaseFile, name: string): boolean {
  const fallback = new RegExp(
    `\\b${escape(name)}\\b['"\\])]*\\s*(?:\\?\\?|\\|\\|)|['"]${escape(name)}['"]\\s*,\\s*\\S`,
  );
  return whereRead(file.repo, name).some(({ text }) => fallback.test(text));
}

function lineOf(file: CaseFile, name: string, from: number): number {
  const index = file.lines.findIndex((line, at) => at >= from && line.text.includes(name));
  return index < 0 ? from : index;
}
