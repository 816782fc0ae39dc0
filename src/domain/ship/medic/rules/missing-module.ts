import { hits, locate, nameOf, said, shown, traceAround, where } from '../case-file.ts';
import type { CaseFile, Hit, Rule } from '../case-file.ts';
import type { Candidate } from '../diagnosis.ts';
import { escape } from '../env-names.ts';
import { finding } from '../finding.ts';
import { imageLine, lineIn } from '../places.ts';
import { grep } from '../repository.ts';
import type { Place } from '../repository.ts';

/** Something that the code imports is not there. */
export const missingModule: Rule = (file) => [...notExported(file), ...notThere(file)];

const notThere: Rule = (file) =>
  WORDINGS.flatMap((wording) =>
    hits(file, wording.pattern).flatMap((hit) => {
      const name = wording.name(hit.match);
      return name === '' || isEntryPoint(file, hit, name) ? [] : [card(file, hit, name, wording)];
    }),
  );

/** The package or the runtime is there, but does not offer the part that is asked for. */
const notExported: Rule = (file) => [
  ...hits(
    file,
    /Package subpath '\.([^']*)' is not defined by "exports" in \S*node_modules\/((?:@[^/]+\/)?[^/]+)\//,
  ).map((hit) => notOffered(file, hit, `${hit.match[2]}${hit.match[1]}`, hit.match[2] ?? '')),
  ...hits(file, /Module "(?:file:\/\/)?([^"]+)" needs an import attribute of/).map((hit) =>
    needsAttribute(file, hit),
  ),
  ...hits(file, /No such built-in module: (\S+)/).map(
    (hit) => oldRuntime(file, hit) ?? notOffered(file, hit, hit.match[1] ?? '', 'Node.js'),
  ),
];

/** The part is in a later Node.js, and the recipe or the manifest shows that another version was meant. */
function oldRuntime(file: CaseFile, hit: Hit): Candidate | null {
  const running = hits(file, /^Node\.js (v\d[\d.]*)/)[0]?.match[1];
  const chosen = imageLine(file, /^\s*FROM\s+\S*node:/i);
  const meant = lineIn(file, /"node"\s*:\s*"[^"]*\d/, /(?:^|\/)package\.json$/);
  const place = chosen ?? meant;
  if (running === undefined || place === null) return null;
  return finding(file, {
    rule: 'runtime-version',
    tier: 'cause',
    score: 94,
    at: hit.at,
    subject: 'runtime:Node.js',
    rootCause: `The wrong version of Node.js runs here: ${running} (${nameOf(place)}) does not have ${hit.match[1]}.`,
    classification: 'config',
    fix: 'Run the service on a version of Node.js that the project asks for.',
    evidence: [...said(file, hit.at), ...shown(file, place), ...shown(file, meant)],
  });
}

function needsAttribute(file: CaseFile, hit: Hit): Candidate {
  const name = baseName(hit.match[1] ?? '');
  const place = importLines(file, `./${name}`)[0] ?? null;
  return finding(file, {
    rule: 'import-attribute',
    tier: 'cause',
    score: 91,
    at: hit.at,
    subject: `module:${name}`,
    rootCause: `${where('', place) || 'The program'} imports ${name} without the attribute that Node.js asks for (with { type: 'json' }).`,
    classification: 'code',
    fix: `Add the attribute to the import of ${name}.`,
    evidence: [...said(file, hit.at), ...shown(file, place)],
  });
}

function notOffered(file: CaseFile, hit: Hit, name: string, owner: string): Candidate {
  const place = whereImported(file, hit, name);
  return finding(file, {
    rule: 'not-exported',
    tier: 'cause',
    score: 91,
    at: hit.at,
    subject: `module:${name}`,
    rootCause: `${where('', place) || 'The program'} imports ${name}, which this version of ${owner} does not have.`,
    classification: 'code',
    fix: `Import what ${owner} offers, or use a version that has ${name}.`,
    evidence: [...said(file, hit.at), ...shown(file, place)],
  });
}

type Wording = {
  readonly pattern: RegExp;
  readonly name: (match: RegExpExecArray) => string;
  /** The manifest in which such a package is declared. */
  readonly manifest: string;
};

const first = (match: RegExpExecArray): string =>
  match.slice(1).find((group) => group !== undefined) ?? '';

const WORDINGS: readonly Wording[] = [
  { pattern: /Cannot find (?:module|package) '([^']+)'/, name: first, manifest: 'package.json' },
  {
    pattern: /Module not found: Error: Can't resolve '([^']+)'/,
    name: first,
    manifest: 'package.json',
  },
  { pattern: /Module not found: Can't resolve '([^']+)'/, name: first, manifest: 'package.json' },
  { pattern: /Could not resolve ["']([^"']+)["']/, name: first, manifest: 'package.json' },
  { pattern: /failed to resolve import ["']([^"']+)["']/i, name: first, manifest: 'package.json' },
  {
    pattern: /Cannot resolve (?:entry )?module ["'`]?([^\s"'`]+)/,
    name: first,
    manifest: 'package.json',
  },
  {
    pattern:
      /Relative import path "([^"]+)" not prefixed|Import "([^"]+)" not a dependency(?: and not in import map)?/,
    name: first,
    manifest: 'deno.json',
  },
  {
    pattern: /error: Module not found "(?:file:\/\/)?([^"]+)"/,
    name: first,
    manifest: 'deno.json',
  },
  {
    pattern: /(?:ModuleNotFoundError|ImportError): No module named ['"]?([\w.]+)/,
    name: first,
    manifest: 'requirements.txt',
  },
  {
    pattern:
      /cannot load such file -- (\S+)|Could not find (?:gem )?'?([\w-]+?)(?:-[\d.]+)?'?(?: \([^)]*\))? in (?:any of the sources|locally installed gems)/,
    name: first,
    manifest: 'Gemfile',
  },
  {
    pattern:
      /no required module provides package ([^\s;:]+)|package (\S+) is not in (?:std|GOROOT)|cannot find package "([^"]+)"/,
    name: first,
    manifest: 'go.mod',
  },
  {
    pattern:
      /unresolved import `([^`]+)`|use of (?:undeclared|unresolved) (?:crate or module|module or unlinked crate) `([^`]+)`|can't find crate for `([^`]+)`/,
    name: first,
    manifest: 'Cargo.toml',
  },
  {
    pattern:
      /java\.lang\.(?:ClassNotFoundException|NoClassDefFoundError): ([\w./$]+)|error: package ([\w.]+) does not exist/,
    name: first,
    manifest: 'pom.xml',
  },
  { pattern: /Class ["']([\w\\]+)["'] not found/, name: first, manifest: 'composer.json' },
  {
    pattern: /Failed opening required '([^']+)'/,
    name: (match) => baseName(first(match)),
    manifest: 'composer.json',
  },
  {
    pattern:
      /Could not load file or assembly '([\w.]+)|error CS0246: The type or namespace name '([\w.]+)'|error CS0234: .*name '([\w.]+)'/,
    name: first,
    manifest: '*.csproj',
  },
  {
    pattern:
      /module ([A-Z][\w.]+) is not (?:loaded and could not be found|available)|Unchecked dependencies for environment \w+:?\s*(\S*)/,
    name: first,
    manifest: 'mix.exs',
  },
];

function card(file: CaseFile, hit: Hit, raw: string, wording: Wording): Candidate {
  const place = whereImported(file, hit, raw);
  const story = isOwnFile(raw)
    ? fileStory(file, raw, place)
    : packageStory(file, raw, place, wording.manifest);
  return finding(file, {
    rule: 'missing-module',
    tier: 'cause',
    score: place === null ? 86 : 92,
    at: hit.at,
    subject: `module:${story.name}`,
    rootCause: story.rootCause,
    classification: story.classification,
    fix: story.fix,
    evidence: [...said(file, hit.at), ...shown(file, place), ...shown(file, story.manifest)],
  });
}

type Story = Pick<Candidate, 'rootCause' | 'classification' | 'fix'> & {
  readonly name: string;
  readonly manifest: Place | null;
};

function fileStory(file: CaseFile, raw: string, place: Place | null): Story {
  const name = readable(file, raw);
  const spelled = otherSpelling(file, raw);
  const hint = spelled === null ? '' : `; there is ${spelled}, spelled differently`;
  return {
    name,
    rootCause: `The file ${name} that ${where('', place) || 'the program'} imports does not exist${hint}.`,
    classification: 'code',
    fix: `Add the missing file or correct the import${where(' at ', place)}.`,
    manifest: null,
  };
}

function packageStory(file: CaseFile, raw: string, place: Place | null, kind: string): Story {
  const name = packageName(raw, kind);
  const manifest = manifestLine(file, name, kind);
  if (manifest === null && kind === 'deno.json')
    return {
      name,
      rootCause: `The import ${name}${where(' at ', place)} is not mapped in deno.json, so Deno does not know which package is meant.`,
      classification: 'config',
      fix: `Add ${name} to the imports of deno.json (deno add npm:${name}), or write npm:, jsr: or https: in front.`,
      manifest: null,
    };
  if (manifest === null)
    return {
      name,
      rootCause: `The package ${name} is imported${where(' in ', place)} but not declared as a dependency${declares(file, kind)}.`,
      classification: 'code',
      fix: `Declare ${name} as a dependency and commit the lockfile, or remove the import.`,
      manifest,
    };
  return {
    name,
    rootCause: `The package ${name} is declared in ${manifest.file} but was not installed where ${where('', place) || 'the program'} needs it.`,
    classification: 'config',
    fix: `Make the install step bring ${name} (is it only a development dependency, or is the lockfile out of date?).`,
    manifest,
  };
}

const isOwnFile = (name: string): boolean => /^[./]|^@\/|^~\/|^src\/|\.php$/.test(name);

function packageName(raw: string, manifest: string): string {
  if (manifest === 'package.json')
    return raw
      .split('/')
      .slice(0, raw.startsWith('@') ? 2 : 1)
      .join('/');
  if (manifest === 'requirements.txt') return raw.split('.')[0] ?? raw;
  return raw;
}

/** The printed path without the directory that only existed during the run. */
function readable(file: CaseFile, raw: string): string {
  const { cwd } = file.evidence;
  const clean = raw.replace(/^file:\/\//, '');
  return cwd !== null && clean.startsWith(`${cwd}/`) ? clean.slice(cwd.length + 1) : clean;
}

function whereImported(file: CaseFile, hit: Hit, raw: string): Place | null {
  const all = importLines(file, raw);
  const inFile = (path: string | undefined): Place | undefined =>
    all.find((place) => place.file === path);
  const trace = traceAround(file, hit.at)?.places[0];
  const nearby = fileNear(file, hit) ?? inFile(importer(file, hit)) ?? inFile(trace?.file);
  return nearby ?? trace ?? all[0] ?? null;
}

/** Lines that import something of that name. */
function importLines(file: CaseFile, raw: string): Place[] {
  const name = escape(isOwnFile(raw) ? baseName(raw).replace(/\.\w+$/, '') : raw);
  return grep(
    file.repo,
    new RegExp(
      `(?:import|require|from|include|use|load|extern|alias)\\b.*(?:["'\`/ \\\\(]|^)${name}\\b`,
    ),
  );
}

/** The file that the message itself names as the importing one. */
function importer(file: CaseFile, hit: Hit): string | undefined {
  const from = /imported from (?:file:\/\/)?(\S+)|["'] from ["'](\S+?)["']/.exec(hit.text);
  const printed = from?.[1] ?? from?.[2] ?? '';
  return printed === '' ? undefined : locate(file, printed.replace(/[,.;]$/, ''), 1)?.file;
}

/** Compilers and bundlers print `file:line` beside the complaint. */
function fileNear(file: CaseFile, hit: Hit): Place | null {
  for (const { text } of file.lines.slice(Math.max(0, hit.at - 2), hit.at + 6)) {
    const found = /(?:^|[\s(]|--> )((?:[\w.@-]*\/)*[\w.@-]+\.\w+)[:(](\d+)/.exec(text);
    const place = found ? locate(file, found[1] ?? '', Number(found[2])) : null;
    if (place !== null && !/node_modules/.test(found?.[1] ?? '')) return place;
  }
  return null;
}

function manifestLine(file: CaseFile, name: string, manifest: string): Place | null {
  const wanted = new RegExp(`(?:^|["'\\s/])${escape(name)}(?:["'\\s=<>~!,;\\[]|$)`, 'i');
  const isManifest = (path: string): boolean =>
    manifest.startsWith('*')
      ? path.endsWith(manifest.slice(1))
      : MANIFESTS(manifest).some((one) => baseName(path) === one);
  return grep(file.repo, wanted, isManifest)[0] ?? null;
}

const MANIFESTS = (manifest: string): string[] =>
  manifest === 'requirements.txt'
    ? ['requirements.txt', 'pyproject.toml', 'Pipfile', 'setup.py']
    : [manifest];

function declares(file: CaseFile, manifest: string): string {
  const found = file.repo.paths.find((path) => MANIFESTS(manifest).includes(baseName(path)));
  return found === undefined ? '' : ` in ${found}`;
}

/** A file that differs in case only: it works on one system and not on another. */
function otherSpelling(file: CaseFile, raw: string): string | null {
  const stem = (path: string): string =>
    baseName(path)
      .replace(/\.\w+$/, '')
      .toLowerCase();
  const wanted = baseName(raw).replace(/\.\w+$/, '');
  return (
    file.repo.paths.find(
      (path) => stem(path) === wanted.toLowerCase() && !baseName(path).startsWith(`${wanted}.`),
    ) ?? null
  );
}

/** Node says the same words when the start command itself names a file that is not there. */
function isEntryPoint(file: CaseFile, hit: Hit, name: string): boolean {
  const stack = file.lines
    .slice(hit.at, hit.at + 4)
    .map((line) => line.text)
    .join('\n');
  const asked = /requireStack: \[\]/.test(
    file.lines
      .slice(hit.at, hit.at + 22)
      .map((line) => line.text)
      .join('\n'),
  );
  if (!isOwnFile(name) || /imported from|Require stack:\s*\n- /.test(`${hit.text}\n${stack}`))
    return false;
  return asked || commandNames(file, name);
}

function commandNames(file: CaseFile, name: string): boolean {
  return file.evidence.command
    .split(/\s+/)
    .some(
      (word) =>
        word !== '' &&
        baseName(word).replace(/\.\w+$/, '') === baseName(name).replace(/\.\w+$/, ''),
    );
}

const baseName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path;
