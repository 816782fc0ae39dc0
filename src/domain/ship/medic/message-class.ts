import type { CaseFile } from './case-file.ts';
import type { Classification } from './diagnosis.ts';
import { escape } from './env-names.ts';
import { changedLine, settingLine } from './places.ts';
import { resolvePath } from './repository.ts';
import type { Place } from './repository.ts';

const LANGUAGE =
  /\b(?:TypeError|ReferenceError|RangeError|SyntaxError|AssertionError|KeyError|IndexError|AttributeError|NameError|ZeroDivisionError|UnboundLocalError|NoMethodError|NotImplementedError|RecursionError|NullPointerException|NullReferenceException|ClassCastException|IndexOutOfRange\w*|ArrayIndexOutOfBounds\w*|IllegalStateException|ConcurrentModification\w*|InvalidOperationException|StackOverflowError|FunctionClauseError|MatchError|ArithmeticError|CaseClauseError|runtime error|index out of (?:range|bounds)|nil pointer|called `(?:Option|Result)::unwrap)/;
const INFRA =
  /\btimed? ?out\b|ETIMEDOUT|ECONN\w+|EHOSTUNREACH|ENETUNREACH|EPIPE|\bunreachable\b|\bunavailable\b|connection (?:was )?(?:refused|reset|closed|lost|aborted|terminated)|(?:could not|unable to|failed to|can't|cannot) (?:connect|reach|establish)|no route to host|network (?:error|is down)|\bquota\b|rate limit|too many requests|no space left|bad gateway|broker|deadline exceeded|leader not available|cluster/i;
const CONFIG =
  /\bconfig\w*|\bsettings?\b|environment|\benv\b|credentials?|api[ _-]?key|\bsecrets?\b|access token|\bpassword|unauthori[sz]ed|\bforbidden\b|permission|access denied|not authorized|certificate|no such file|(?:file|directory|folder|path|profile|plugin|preset|module|driver|provider|adapter|command|option|flag|argument) .*(?:not found|does not exist|missing|unknown|not supported|unrecogni[sz]ed|required)|(?:not found|missing|unknown|unrecogni[sz]ed|unsupported|no) (?:file|directory|folder|profile|plugin|preset|driver|provider|adapter|command|option|flag|argument|output)|incompatible|please run|run `[^`]+`|not (?:been )?(?:set|configured|initiali[sz]ed|installed|enabled|provided|specified)\b|must be (?:set|provided|specified|one of)|invalid (?:value|url|uri|port|scheme|dsn|connection string)/i;

/** What kind of fault the words of an unknown error speak of. */
export function classOfWords(text: string): Classification {
  if (LANGUAGE.test(text)) return 'code';
  if (INFRA.test(text)) return 'infra';
  return CONFIG.test(text) ? 'config' : 'code';
}

const SHORTEST = 4;

/** Where an unknown error belongs: a file it names, or the line of settings that holds what it quotes. */
export const placeOfWords = (file: CaseFile, text: string): Place | null =>
  fileIn(file, text) ?? quotedIn(file, text);

function fileIn(file: CaseFile, text: string): Place | null {
  for (const [, printed, line] of text.matchAll(/((?:[\w.@-]+\/)*[\w@-]+\.\w{1,10})(?::(\d+))?/g)) {
    const path = resolvePath(file.repo, printed ?? '', file.evidence);
    const at = Number(line ?? 1);
    if (path !== null && (file.repo.lines(path)?.length ?? 0) >= at)
      return { file: path, line: at };
  }
  return null;
}

function quotedIn(file: CaseFile, text: string): Place | null {
  const quoted = [...text.matchAll(/(["'`])([^"'`]{1,80})\1/g)].map((match) => match[2] ?? '');
  for (const thing of quoted.filter((one) => one.length >= SHORTEST && /\w/.test(one))) {
    const word = new RegExp(`(?<![\\w-])${escape(thing)}(?![\\w-])`);
    const place = changedLine(file, word) ?? settingLine(file, word);
    if (place !== null) return place;
  }
  return null;
}
