import { hits, locate, nameOf, said, shown } from '../case-file.ts';
import type { CaseFile, Hit, Rule } from '../case-file.ts';
import type { Candidate } from '../diagnosis.ts';
import { finding } from '../finding.ts';
import type { Place } from '../repository.ts';

/** A compiler, bundler or interpreter refuses the source and says where. */
export const sourceErrors: Rule = (file) => [...compiled(file), ...syntax(file), ...badData(file)];

type Printed = {
  readonly pattern: RegExp;
  readonly tool: string;
  readonly kind: 'type' | 'syntax' | 'compile';
};

/** Each pattern catches file, line and words. */
const COMPILERS: readonly Printed[] = [
  {
    pattern:
      /^(?:.*?\s)?((?:[\w.@-]*\/)*[\w.@()[\]-]+\.(?:[cm]?tsx?|json))[(:](\d+)[,:]\d+\)?:? ?-? error (TS\d+: .*)/,
    tool: 'TypeScript',
    kind: 'type',
  },
  { pattern: /ERROR in (\S+?\.[jt]sx?)[(:](\d+)[,:]\d+\)?()/, tool: 'TypeScript', kind: 'type' },
  {
    pattern: /^\s*(?:\.\/)?((?:[\w.@-]+\/)*[\w.-]+\.go):(\d+):\d+: (.+)/,
    tool: 'Go',
    kind: 'compile',
  },
  {
    pattern:
      /^(?:\[ERROR\] )?(\/?(?:[\w.@-]+\/)*[\w.-]+\.(?:java|kt)):(?:\[?(\d+),\d+\]|(?:(\d+):)) ?(?:error: )?(.+)/,
    tool: 'the JVM compiler',
    kind: 'compile',
  },
  { pattern: /^e: (?:file:\/\/)?(\S+\.kts?):(\d+):\d+:? (.+)/, tool: 'Kotlin', kind: 'compile' },
  {
    pattern: /^\s*(\S+\.(?:cs|fs))\((\d+),\d+\): error (\w+: .+?)(?: \[|$)/,
    tool: '.NET',
    kind: 'compile',
  },
  { pattern: /^\s*(\S+\.swift):(\d+):\d+: error: (.+)/, tool: 'Swift', kind: 'compile' },
  {
    pattern:
      /^\[error\] (?:-- (?:\[E\d+\] )?[\w ]*Error: )?(\/?\S+\.(?:scala|sc)):(\d+):\d+:? ?(.*)/,
    tool: 'Scala',
    kind: 'compile',
  },
  {
    pattern:
      /^\s*(\/?\S+\.(?:hs|dart|c|cc|cpp|h|hpp|m|mm|zig|cr|ml|nim|d|elm|gleam|erl|vue|svelte|astro|proto)):(\d+):\d+:? (?:fatal )?[Ee]rror:? ?(.*)/,
    tool: 'the compiler',
    kind: 'compile',
  },
  { pattern: /^(?:✘ |X )?\[?ERROR\]? .*?()$/, tool: '', kind: 'compile' },
];

function compiled(file: CaseFile): Candidate[] {
  return [
    ...COMPILERS.slice(0, -1).flatMap((printed) => fromCompiler(file, printed)),
    ...fromRust(file),
    ...fromBundler(file),
    ...fromElixir(file),
    ...fromTypeCheck(file),
    ...fromLinter(file),
  ];
}

function fromCompiler(file: CaseFile, printed: Printed): Candidate[] {
  return hits(file, printed.pattern)
    .filter(
      ({ text }) =>
        !/\bwarning\b/i.test(text) &&
        !/^\s*at /.test(text) &&
        !/^\s*(?:goroutine|\/usr)/.test(text),
    )
    .slice(0, 3)
    .flatMap((hit) => {
      const groups = hit.match.slice(1).filter((group) => group !== undefined);
      const place = locate(file, groups[0] ?? '', Number(groups[1]));
      const words = groups[2] || wordsBelow(file, hit.at);
      if (printed.tool === 'Go' && !looksLikeGoBuild(file, words)) return [];
      return [
        card(file, hit, place, {
          tool: printed.tool,
          kind: printed.kind,
          words,
          printed: `${groups[0]}:${groups[1]}`,
        }),
      ];
    });
}

/** Some compilers draw the line of source first and then say what is wrong with it. */
function wordsBelow(file: CaseFile, at: number): string {
  const drawn = file.lines
    .slice(at + 1, at + 10)
    .map(({ text }) => text.replace(/^\[\w+\]\s*/, ''));
  const words = drawn.flatMap((text) => /^\s*\|\s+([A-Za-z].*)/.exec(text)?.[1] ?? []);
  return words[0] ?? '';
}

/** Programs written in Go log `file.go:12: words` too; only the build speaks of code. */
function looksLikeGoBuild(file: CaseFile, words: string): boolean {
  const building =
    file.evidence.stage === 'build' || /go (?:build|run|install)/.test(file.evidence.command);
  return (
    building &&
    /undefined|declared and not used|imported and not used|cannot use|syntax error|missing return|expected|not enough|too many|undeclared|redeclared|invalid|mismatched|does not implement|no new variables/.test(
      words,
    )
  );
}

function fromRust(file: CaseFile): Candidate[] {
  return hits(file, /^error(?:\[(E\d+)\])?: (.+)/).flatMap((hit) => {
    const arrow = file.lines
      .slice(hit.at + 1, hit.at + 5)
      .map((line) => /--> (\S+\.rs):(\d+):\d+/.exec(line.text))
      .find((match) => match !== null);
    if (arrow == null) return [];
    const place = locate(file, arrow[1] ?? '', Number(arrow[2]));
    return [
      card(file, hit, place, {
        tool: 'Rust',
        kind: 'compile',
        words: hit.match[2] ?? '',
        printed: `${arrow[1]}:${arrow[2]}`,
      }),
    ];
  });
}

/** Bundlers print the complaint and then, on its own line, the place. */
function fromBundler(file: CaseFile): Candidate[] {
  const words =
    /(?:^|\s)(?:✘ |X )?\[ERROR\] (.+)|^\s*(?:Syntax ?Error|SyntaxError|Failed to compile|RollupError|Module build failed|error during build|Transform failed|\[vite[^\]]*\])\b[:.]? ?(.*)/;
  return hits(file, words).flatMap((hit) => {
    for (const { text } of file.lines.slice(hit.at, hit.at + 8)) {
      const found =
        /(?:^|[\s([]|,-\[)(?:\.?\/)?((?:[\w.@-]+\/)*[\w.@-]+\.(?:[cm]?[jt]sx?|vue|svelte|css|scss|astro)):(\d+):\d+/.exec(
          text,
        );
      if (!found || /node_modules/.test(text) || /^\s*at /.test(text)) continue;
      const place = locate(file, found[1] ?? '', Number(found[2]));
      if (place === null) continue;
      return [
        card(file, hit, place, {
          tool: 'the bundler',
          kind: 'compile',
          words: hit.match[1] ?? hit.match[2] ?? hit.text,
          printed: nameOf(place),
        }),
      ];
    }
    return [];
  });
}

function fromElixir(file: CaseFile): Candidate[] {
  return hits(file, /== Compilation error in file (\S+) ==/).flatMap((hit) => {
    const after = file.lines
      .slice(hit.at + 1, hit.at + 14)
      .map((line) => line.text)
      .join('\n');
    const drawn = drawnAbove(file, hit.at);
    const line = drawn?.line ?? Number(/\.exs?:(\d+)/.exec(after)?.[1] ?? 1);
    const place = locate(file, hit.match[1] ?? '', line);
    const words = drawn?.words ?? /\*\* \([\w.]+\) (.*)/.exec(after)?.[1] ?? 'it does not compile';
    return [
      card(file, hit, place, {
        tool: 'Elixir',
        kind: 'compile',
        words,
        printed: `${hit.match[1]}:${line}`,
      }),
    ];
  });
}

/** Newer compilers draw the error with its line before they name the file that failed. */
function drawnAbove(file: CaseFile, at: number): { words: string; line: number } | null {
  for (let up = at; up >= Math.max(0, at - 25); up--) {
    const foot = /└─ \S+?\.exs?:(\d+)/.exec(file.lines[up]?.text ?? '');
    if (foot === null) continue;
    const above = file.lines.slice(Math.max(0, up - 10), up).map(({ text }) => text);
    const words = above.flatMap((text) => /^\s*error: (.+)/.exec(text)?.[1] ?? []).at(-1);
    if (words !== undefined) return { words, line: Number(foot[1]) };
  }
  return null;
}

/** Next prints the file on a line of its own and the complaint under it. */
function fromTypeCheck(file: CaseFile): Candidate[] {
  return hits(file, /^\s*(?:Type error|Error|Syntax Error|ESLint error): (.+)/).flatMap((hit) => {
    for (const { text } of file.lines.slice(Math.max(0, hit.at - 2), hit.at).toReversed()) {
      const found =
        /^\s*(?:\.\/)?((?:[\w.@()[\]-]+\/)*[\w.@()[\]-]+\.[jt]sx?)(?::(\d+):\d+)?\s*$/.exec(text);
      const place = found && locate(file, found[1] ?? '', Number(found[2] ?? 1));
      if (place != null)
        return [
          card(file, hit, place, {
            tool: 'TypeScript',
            kind: 'type',
            words: hit.match[1] ?? '',
            printed: nameOf(place),
          }),
        ];
    }
    return [];
  });
}

/** Linters print the file once and its complaints under it, each with line and column. */
function fromLinter(file: CaseFile): Candidate[] {
  return hits(file, /^\s*(\d+):\d+\s+[Ee]rror:?\s+(.+)/).flatMap((hit) => {
    for (let up = hit.at - 1; up >= Math.max(0, hit.at - 20); up--) {
      const found = /^\s*(\/?(?:\.\/)?(?:[\w.@()[\]-]+\/)*[\w.@()[\]-]+\.\w+)\s*$/.exec(
        file.lines[up]?.text ?? '',
      );
      const place = found && locate(file, found[1] ?? '', Number(hit.match[1]));
      if (place != null)
        return [
          card(file, hit, place, {
            tool: 'the linter',
            kind: 'compile',
            words: hit.match[2] ?? '',
            printed: nameOf(place),
          }),
        ];
    }
    return [];
  });
}

const SYNTAX =
  /(?:^|\s)((?:SyntaxError|IndentationError|TabError)(?: \[\w+\])?: .+)|syntax error, unexpected (.+)|syntax errors? found|PHP Parse error:\s+(.+)|(TokenMissingError.*)|(ParseError:.*|Unexpected token .*)/;

/** An interpreter that stops before it runs anything. */
function syntax(file: CaseFile): Candidate[] {
  return hits(file, SYNTAX)
    .filter(({ text }) => !/JSON/.test(text) && !/\(\S*node_modules/.test(text))
    .slice(0, 2)
    .flatMap((hit) => {
      const place = placeOfSyntax(file, hit);
      if (place === null && !/SyntaxError|IndentationError|Parse error|syntax error/.test(hit.text))
        return [];
      const words = hit.match.slice(1).find((group) => group !== undefined) ?? hit.text;
      return isRuntimeSyntax(file, hit)
        ? []
        : [
            card(file, hit, place, {
              tool: '',
              kind: 'syntax',
              words,
              printed: place ? nameOf(place) : '',
            }),
          ];
    });
}

/** `new Function`, `eval` and query builders throw the same error with ordinary frames under it. */
function isRuntimeSyntax(file: CaseFile, hit: Hit): boolean {
  const frames = file.lines
    .slice(hit.at + 1, hit.at + 4)
    .map((line) => line.text)
    .join('\n');
  return /at (?:JSON\.parse|new Function|eval|RegExp)/.test(frames);
}

function placeOfSyntax(file: CaseFile, hit: Hit): Place | null {
  const shapes = [
    /^(?:file:\/\/)?(\/?(?:[\w.@-]+\/)*[\w.@-]+\.[cm]?[jt]sx?):(\d+)\b/,
    /File "(.+?)", line (\d+)/,
    /(\S+\.rb):(\d+): syntax error/,
    /(\/?\S+\.(?:rb|ru)):(\d+)/,
    /in (\/?\S+\.php)(?::| on line )(\d+)/,
    /(\S+\.exs?):(\d+)/,
    /\[?(\/?\S+\.[cm]?[jt]sx?):(\d+):\d+\]?/,
  ];
  for (let step = 0; step <= 9; step++)
    for (const index of [hit.at - step, hit.at + step]) {
      const text = file.lines[index]?.text.trim() ?? '';
      for (const shape of shapes) {
        const found = shape.exec(text);
        const place =
          found && !/node_modules|^at .*node:/.test(text)
            ? locate(file, found[1] ?? '', Number(found[2]))
            : null;
        if (place !== null) return place;
      }
    }
  return null;
}

/** A manifest or settings file that cannot be parsed. */
function badData(file: CaseFile): Candidate[] {
  const words =
    /EJSONPARSE|Failed to parse JSON|(?:while parsing|in parsing|parsing|reading|load(?:ing)?)\b.*?([\w./-]+\.(?:json|ya?ml|toml|xml|env))|TOMLDecodeError|yaml\.(?:scanner|parser)\.\w+|yaml: (?:line \d+|unmarshal errors?|did not find)|YAMLException|YAMLSyntaxError|Psych::SyntaxError|mapping values are not allowed|did not find expected|found character that cannot start any token|toml: |TomlError|expected a key|JSONDecodeError|Error parsing (?:\S*\/)?([\w.-]+\.(?:json|ya?ml|toml))|(?<![\w./-])([\w./-]+\.json): (?:Unexpected|Expected|Error parsing)/;
  return hits(file, words)
    .filter(
      ({ text }) =>
        /error|fail|unexpected|expected|decode|EJSONPARSE|invalid|scanner|yaml|toml|not allowed/i.test(
          text,
        ) && !/ES module|\bwarn/i.test(text),
    )
    .slice(0, 1)
    .flatMap((hit) => {
      const around = file.lines
        .slice(Math.max(0, hit.at - 3), hit.at + 8)
        .map((line) => line.text)
        .join('\n');
      const printed =
        hit.match.slice(1).find((group) => group !== undefined) ??
        /(\/?(?:[\w.-]+\/)*[\w.-]+\.(?:json|ya?ml|toml))\b/.exec(around)?.[1] ??
        '';
      const line = Number(/line (\d+)/.exec(around)?.[1] ?? 1);
      const meant = printed === '' ? onlyDataFile(file, hit.text) : printed;
      const place = locate(file, meant, line) ?? locate(file, meant, 1);
      if (place === null) return [];
      return [
        finding(file, {
          rule: 'bad-data-file',
          tier: 'cause',
          score: 91,
          at: hit.at,
          subject: `file:${place.file}`,
          rootCause: `${nameOf(place)} cannot be parsed: ${tidy(hit.text)}.`,
          classification: 'config',
          fix: `Correct the syntax of ${place.file}.`,
          evidence: [...said(file, hit.at), ...shown(file, place)],
        }),
      ];
    });
}

/** A complaint without a name means the file that the command reads, or the only one of its kind. */
function onlyDataFile(file: CaseFile, text: string): string {
  const kind = /yaml|psych|mapping values|token/i.test(text)
    ? /\.ya?ml$/
    : /toml/i.test(text)
      ? /\.toml$/
      : /\.json$/;
  const all = file.repo.paths.filter((path) => kind.test(path));
  const compose = /compose/.test(file.evidence.command)
    ? all.find((path) => /compose/.test(path))
    : undefined;
  return compose ?? (all.length === 1 ? (all[0] ?? '') : '');
}

type Complaint = {
  readonly tool: string;
  readonly kind: Printed['kind'];
  readonly words: string;
  readonly printed: string;
};

function card(file: CaseFile, hit: Hit, place: Place | null, complaint: Complaint): Candidate {
  const where = place ? nameOf(place) : complaint.printed;
  const { tool, kind, words } = complaint;
  const what =
    kind === 'syntax'
      ? 'has a syntax error'
      : kind === 'type'
        ? 'does not pass the TypeScript compiler'
        : `does not compile${tool ? ` (${tool})` : ''}`;
  return finding(file, {
    rule: kind === 'syntax' ? 'syntax-error' : 'compile-error',
    tier: 'cause',
    score: kind === 'syntax' && place === null ? 80 : 92,
    at: hit.at,
    subject: `source:${where}`,
    rootCause: `${where || 'A source file'} ${what}: ${tidy(words)}.`,
    classification: 'code',
    fix: `Correct ${where || 'the file'} as the message says, and run the build before committing.`,
    evidence: [...said(file, hit.at), ...shown(file, place)],
  });
}

const tidy = (text: string): string =>
  text
    .trim()
    .replace(/[.:\s]+$/, '')
    .slice(0, 200);
