import { hits, said, shown, traceAround, where } from '../case-file.ts';
import type { CaseFile, Hit, Rule } from '../case-file.ts';
import type { Candidate } from '../diagnosis.ts';
import { escape } from '../env-names.ts';
import { finding } from '../finding.ts';
import { grep } from '../repository.ts';
import type { Found, Place } from '../repository.ts';

/** The command itself cannot work: its script, file or program is not there or may not run. */
export const startCommand: Rule = (file) =>
  WORDINGS.flatMap(({ pattern, because, score }) =>
    hits(file, pattern)
      .map((hit) => ({ hit, thing: hit.match.slice(1).find((group) => group !== undefined) ?? '' }))
      .filter(({ hit, thing }) => thing !== '' && isAboutCommand(file, hit, thing))
      .slice(0, 1)
      .map(({ hit, thing }) => card(file, hit, thing, because, score)),
  );

type Because =
  | 'script'
  | 'file'
  | 'program'
  | 'permission'
  | 'module'
  | 'flag'
  | 'extension'
  | 'task';
type Wording = { readonly pattern: RegExp; readonly because: Because; readonly score: number };

const WORDINGS: readonly Wording[] = [
  { pattern: /Missing script: ["']?([\w:.-]+)/, because: 'script', score: 96 },
  {
    pattern:
      /Command "([\w:.-]+)" not found\.|ERR_PNPM_NO_SCRIPT\S*\s+Missing script: (\S+)|Couldn't find a script named "([^"]+)"|error: Script not found "([^"]+)"/,
    because: 'script',
    score: 95,
  },
  {
    pattern:
      /No rule to make target ['`]([^'`]+)'|does not contain recipe `([^`]+)`|Don't know how to build task '([^']+)'|Task '([^']+)' (?:not found in|is ambiguous in)|Unknown lifecycle phase "([^"]+)"|No plugin found for prefix '([^']+)'|error: no such (?:sub)?command: `([^`]+)`|no bin target named `([^`]+)`|Task not found: (\S+)|[Tt]ask "([^"]+)" (?:does not exist|could not be found)|Command "([^"]+)" is not defined|Unknown command: '([^']+)'|The task "([^"]+)" could not be found|Failed to spawn: `([^`]+)`|the command (\S+) could not be found within PATH|Could not find task `([^`]+)`|No such command '([^']+)'|Unrecognized command "?([\w:-]+)|^Command not found: (\S+)|Cannot find configuration for task (\S+)|unknown (?:sub)?command "?([\w:-]+)"? for/,
    because: 'task',
    score: 94,
  },
  { pattern: /Cannot find module '([^']+)'/, because: 'file', score: 94 },
  { pattern: /can't open file '([^']+)'/, because: 'file', score: 94 },
  {
    pattern:
      /Unable to access jarfile (\S+)|Could not open input file: (\S+)|No such file or directory -- (\S+)|stat (\S+\.go): no such file/,
    because: 'file',
    score: 94,
  },
  { pattern: /cd: can't cd to (\S+)|cd: ([\w./-]+): No such file/, because: 'file', score: 94 },
  {
    pattern:
      /bad option: (\S+)|(?:unknown|unrecognized|unrecognised|invalid) (?:option|flag|argument|arguments?:|command):? ['"]?([\w-][^\s'"]*)|No such option: (\S+)|flag provided but not defined: (\S+)/i,
    because: 'flag',
    score: 88,
  },
  {
    pattern: /Unknown file extension "(\.\w+)" for/,
    because: 'extension',
    score: 93,
  },
  { pattern: /Could not find or load main class (\S+)/, because: 'file', score: 92 },
  {
    pattern:
      /Error loading ASGI app\. (?:Could not import module|Attribute) "([^"]+)"|Failed to find attribute '(\w+)' in|Error: (?:Could not import|Failed to find Flask application or factory in module) '([^']+)'/,
    because: 'module',
    score: 94,
  },
  {
    pattern: /(?:ModuleNotFoundError|ImportError): No module named '([\w.]+)'/,
    because: 'module',
    score: 97,
  },
  {
    pattern:
      /(?:^|[\s/])(?:sh|bash|zsh|dash|ash|env)\b.*?: ([\w./@-]+): (?:command )?not found\s*$|executable file not found in \$PATH: ?"?([\w./-]+)|exec: "([^"]+)": executable file not found|spawn (\S+) ENOENT|env: [‘'`]?([^’'`:]+)[’'`]?: No such file/,
    because: 'program',
    score: 90,
  },
  {
    pattern:
      /(?:sh|bash|exec|env|su): (?:\d+: |line \d+: )*(?:exec: )?([\w./-]+): (?:Permission denied|cannot execute)|spawn (\S+) EACCES|exec (\S+): permission denied|exec: "([^"]+)": permission denied/i,
    because: 'permission',
    score: 93,
  },
  {
    pattern:
      /(?:^|: )([\w./-]+): No such file or directory|fork\/exec (\S+): no such file or directory/,
    because: 'file',
    score: 84,
  },
];

/** The same words appear when the program opens a file later; then it is not the command's fault. */
function isAboutCommand(file: CaseFile, hit: Hit, thing: string): boolean {
  if (/Cannot find module/.test(hit.text)) return isEntry(file, hit, thing);
  if (/No module named/.test(hit.text)) return isAppModule(file, hit, thing);
  if (/No such file or directory/.test(hit.text) && !/^\s*at /.test(hit.text))
    return namedByCommand(file, thing) || /^(?:sh|bash|\/bin)/.test(hit.text.trim());
  return true;
}

/** Application servers import the module that their command names; no file of ours asks for it. */
function isAppModule(file: CaseFile, hit: Hit, thing: string): boolean {
  const servers =
    /\b(?:gunicorn|uvicorn|hypercorn|daphne|waitress-serve|uwsgi|granian|celery|flask|python3? -m)\b/;
  const commands = [file.evidence.command, ...commandLines(file).map(({ text }) => text)];
  const asked = new RegExp(`(?:^|[\\s"'=])${escape(thing)}(?=[:.\\s"']|$)`);
  const imported = (traceAround(file, hit.at)?.places.length ?? 0) > 0;
  return !imported && commands.some((one) => servers.test(one) && asked.test(one));
}

function isEntry(file: CaseFile, hit: Hit, thing: string): boolean {
  const after = file.lines
    .slice(hit.at, hit.at + 22)
    .map((line) => line.text)
    .join('\n');
  if (!/^[./]/.test(thing) || /imported from|Require stack:\s*\n- /.test(after)) return false;
  return /requireStack: \[\]/.test(after) || namedByCommand(file, thing);
}

/** A file's name without folder and ending. */
const stem = (word: string): string => (word.split('/').at(-1) ?? word).replace(/\.\w+$/, '');

function namedByCommand(file: CaseFile, thing: string): boolean {
  const scripts = grep(file.repo, /"(?:start|serve|dev|build|prestart|postinstall)"\s*:/, (path) =>
    path.endsWith('package.json'),
  );
  const words = [file.evidence.command, ...scripts.map(({ text }) => text)]
    .join(' ')
    .split(/[\s"'=]+/);
  return words.some((word) => word !== '' && stem(word) === stem(thing));
}

function card(file: CaseFile, hit: Hit, raw: string, because: Because, score: number): Candidate {
  const { cwd, command } = file.evidence;
  const thing = cwd !== null && raw.startsWith(`${cwd}/`) ? raw.slice(cwd.length + 1) : raw;
  const step = imageStep(file, thing);
  const place = step ?? whereNamed(file, thing, because);
  const words = { thing, command: step?.text.trim() ?? command, near: nearby(file, thing) };
  return finding(file, {
    rule: 'start-command',
    tier: 'cause',
    score,
    at: hit.at,
    subject: `command:${thing}`,
    rootCause: ROOT_CAUSE[because](words).replace(/\.$/, `${where(' (', step, ')')}.`),
    classification: because === 'program' && TOOLCHAIN.test(thing) ? 'infra' : 'config',
    fix: FIX[because](words),
    evidence: [...said(file, hit.at), ...shown(file, place)],
  });
}

const TOOLCHAIN =
  /^(?:node|npm|pnpm|yarn|bun|deno|python3?|pip3?|uv|poetry|go|cargo|rustc|ruby|bundle|java|mvn|gradle|php|composer|dotnet|mix|elixir|swift|docker)$/;

type Words = { readonly thing: string; readonly command: string; readonly near: string | null };
type Say = (words: Words) => string;

const ROOT_CAUSE: Record<Because, Say> = {
  script: ({ thing, command }) =>
    `The command \`${command}\` asks for the script "${thing}", which package.json does not define.`,
  file: ({ thing, command, near }) =>
    `The command \`${command}\` names ${thing}, which does not exist${near ? ` (there is ${near})` : ''}.`,
  program: ({ thing, command }) =>
    `The command \`${command}\` needs the program ${thing}, which is not installed here.`,
  flag: ({ thing, command }) =>
    `The command \`${command}\` passes ${thing}, which the program it starts does not know.`,
  task: ({ thing, command }) =>
    `The command \`${command}\` asks for ${thing}, which the tool it calls does not know.`,
  extension: ({ thing, command }) =>
    `The command \`${command}\` starts a ${thing} file, which this runtime cannot run as it is.`,
  permission: ({ thing }) => `${thing} may not be executed: permission denied.`,
  module: ({ thing, command, near }) =>
    `The command \`${command}\` points at the application ${thing}, which cannot be found${near ? ` (there is ${near})` : ''}.`,
};

const FIX: Record<Because, Say> = {
  script: ({ thing }) =>
    `Define the script "${thing}" in package.json or choose a command that exists.`,
  file: ({ near }) =>
    near
      ? `Point the command at ${near}, or run the build that makes the file first.`
      : 'Correct the path in the command, or run the build that makes the file first.',
  program: ({ thing }) =>
    `Declare ${thing} as a dependency (or add it to the image), or choose a command that exists.`,
  flag: ({ thing }) => `Take ${thing} out of the command, or correct its spelling.`,
  task: ({ thing }) => `Define ${thing}, or choose a command that exists.`,
  extension: () =>
    'Build first and start the result, or start it with a loader (tsx) or a Node.js that strips types.',
  permission: ({ thing }) =>
    `Make ${thing} executable (chmod +x, git update-index --chmod=+x) or run it through its interpreter.`,
  module: ({ near }) =>
    `Correct the module and attribute in the start command${near ? `; ${near} looks right` : ''}.`,
};

const commandLines = (file: CaseFile): Found[] =>
  grep(file.repo, /\b(?:gunicorn|uvicorn|hypercorn|daphne|celery|flask)\b/, isCommandFile);

const isCommandFile = (path: string): boolean =>
  /(?:^|\/)(?:package\.json|Procfile|Dockerfile|fly\.toml|railway\.\w+|docker-compose\.ya?ml|Makefile)$/.test(
    path,
  );

function whereNamed(file: CaseFile, thing: string, because: Because): Place | null {
  const name = escape((thing.split('/').at(-1) ?? thing).replace(/\.\w+$/, ''));
  if (because === 'extension')
    return (
      grep(file.repo, new RegExp(`"(?:start|serve|dev)".*${escape(thing)}\\b`), isCommandFile)[0] ??
      null
    );
  if (because === 'script')
    return grep(file.repo, /"scripts"\s*:/, (path) => path.endsWith('package.json'))[0] ?? null;
  const all = grep(file.repo, new RegExp(`(?:^|[\\s"'/:=])${name}\\b`), isCommandFile);
  const script = all.find(({ text }) =>
    /"(?:start|serve|build|dev)"|web:|CMD|ENTRYPOINT|gunicorn|uvicorn|startCommand/.test(text),
  );
  return script ?? all[0] ?? null;
}

/** Inside an image the command was written by the Dockerfile, not by the developer's scripts. */
function imageStep(file: CaseFile, thing: string): Found | null {
  if (!/\b(?:docker|podman|buildah|fly|flyctl|gcloud|railway)\b/.test(file.evidence.command))
    return null;
  const name = escape((thing.split('/').at(-1) ?? thing).replace(/\.\w+$/, ''));
  const named = new RegExp(`^\\s*(?:RUN|CMD|ENTRYPOINT)\\b.*[\\s"'/:]${name}\\b`);
  return grep(file.repo, named, (path) => /(?:^|\/)Dockerfile[\w.-]*$/.test(path))[0] ?? null;
}

/** A file of the same name elsewhere, which is what the author probably meant. */
function nearby(file: CaseFile, thing: string): string | null {
  const base = thing.split('/').at(-1) ?? thing;
  const same = file.repo.paths.find((path) => path.split('/').at(-1) === base && path !== thing);
  const alike = file.repo.paths.find(
    (path) => stem(path) === stem(thing) && /\.(?:[cm]?[jt]s|py|rb|go)$/.test(path),
  );
  return same ?? alike ?? null;
}
