import { traceAround } from '../case-file.ts';
import type { CaseFile, Hit } from '../case-file.ts';
import { escape } from '../env-names.ts';
import { lineIn, settingLine } from '../places.ts';
import type { Place } from '../repository.ts';
import { caught, fromWordings, plainRow } from './wording.ts';
import type { PlainRow } from './wording.ts';

const named = (hit: Hit, file: CaseFile): Place | null =>
  traceAround(file, hit.at)?.places[0] ?? spelled(hit, file);

function spelled(hit: Hit, file: CaseFile): Place | null {
  const thing = caught(hit).trim();
  if (thing.length < 2) return null;
  const last = thing.split(/[.:/]/).at(-1) ?? thing;
  return (
    settingLine(file, new RegExp(`(?<![\\w-])${escape(thing)}(?![\\w-])`)) ??
    settingLine(file, new RegExp(`(?<![\\w-])${escape(last)}(?![\\w-])`, 'i'))
  );
}

/** Settings that frameworks refuse, by the words they use for it. */
const ROWS: readonly PlainRow[] = [
  {
    rule: 'config-file-missing',
    pattern:
      /Config File "([^"]+)" Not Found in|(?:[Cc]ould not|[Cc]annot|[Uu]nable to|[Ff]ailed to) (?:find|locate|open|read|load|resolve) (?:the )?(?:config(?:uration)?|settings?)(?: file)?:? ["'`]?([\w./@-]+\.\w+)|[Cc]onfig(?:uration)? file ["'`]?([\w./@-]+)["'`]? (?:not found|does not exist|is missing|was not found)|The configuration file '([^']+)' was not found/,
    unless: /using defaults?|optional|skipp|falling back/i,
    score: 91,
    classification: 'config',
    says: 'The configuration file {} was not found where the service looks for it.',
    fix: 'Ship {} with the release or mount it, or take the settings from the environment.',
    place: named,
  },
  {
    rule: 'encryption-key',
    pattern:
      /Missing encryption key to decrypt file with|(ActiveSupport::MessageEncryptor::InvalidMessage)|Couldn't decrypt \S*(credentials)\S*/,
    score: 95,
    classification: 'config',
    says: 'The encrypted credentials cannot be read: RAILS_MASTER_KEY (config/master.key) is missing or wrong.',
    fix: 'Stage RAILS_MASTER_KEY as a secret of this lane.',
    place: (_hit, file) => settingLine(file, /require_master_key/),
  },
  {
    rule: 'spring-binding',
    pattern:
      /Failed to bind properties under '([\w.-]+)'|Could not bind properties to '[^']+'.*prefix=([\w.-]+)|Property: ([\w.-]+)$|Failed to configure a DataSource: '(url)' attribute is not specified|Binding to target .*?\[?([\w.-]+)\]? failed/,
    score: 93,
    classification: 'config',
    says: 'The property {} is missing or has a value that the application does not accept.',
    fix: 'Set {} in application.properties or by its environment variable for this lane.',
    place: (hit, file) => spelled(hit, file),
  },
  {
    rule: 'options-validation',
    pattern:
      /OptionsValidationException: (?:DataAnnotation validation failed for '?\w+'? members: '?([\w.]+)|(.+))/,
    score: 94,
    classification: 'config',
    says: 'The settings do not pass their validation: {}.',
    fix: 'Provide the value in appsettings or the environment (Section__Key) of this lane.',
    place: (hit, file) => spelled(hit, file),
  },
  {
    rule: 'nginx-config',
    pattern:
      /\[emerg\] .*?(host not found in upstream "[^"]+"|unknown directive "[^"]+"|[^"]*"[^"]+".*|.+?) in \S+:\d+/,
    score: 95,
    classification: 'config',
    says: 'nginx does not start with this configuration: {}.',
    fix: 'Correct the line (for an upstream: the name must be resolvable where nginx runs).',
    place: (hit, file) => nginxLine(hit, file),
  },
  {
    rule: 'env-schema',
    pattern:
      /Config validation error: ["'`]?([A-Z][A-Z0-9_]+)["'`]? is required|(?:child|value) "([A-Z][A-Z0-9_]+)" (?:fails|is required)/,
    score: 95,
    classification: 'config',
    says: 'The environment variable {} is not set, and the schema of the settings requires it.',
    fix: 'Give {} a value for this lane, or a default in the schema.',
    place: spelled,
  },
  {
    rule: 'wiring',
    pattern:
      /Nest can't resolve dependencies of the (\w+)|No qualifying bean of type '([\w.]+)'|Unable to resolve service for type '([\w.]+)'|required a bean of type '([\w.]+)' that could not be found|Target (?:class )?\[([\w\\]+)\] (?:does not exist|is not instantiable)|An undefined (?:dependency|module).*|Nest cannot create the (\w+) instance/,
    score: 94,
    classification: 'code',
    says: 'The dependency injection cannot put {} together, because something that it needs is not registered: {line}.',
    otherwise: 'a module',
    fix: 'Register (provide, import, export) the missing part in the module that uses it.',
    place: (hit, file) => declaredAs(hit, file),
  },
  {
    rule: 'route-pattern',
    pattern:
      /Missing parameter name at (?:index )?\d+:? ?(\S*)|Unexpected \S+ at (?:index )?\d+, expected.*?:? (\/\S*)/,
    score: 91,
    classification: 'code',
    says: 'The router refuses the path {}: Missing parameter name (the wildcard needs a name in this version).',
    fix: 'Write the wildcard with a name (/*splat), as the new router asks for.',
    place: (hit, file) => traceAround(file, hit.at)?.places[0] ?? quotedPath(hit, file),
  },
  {
    rule: 'duplicate-route',
    pattern:
      /Method '\w+' already declared for route '([^']+)'|Ambiguous mapping.*\{?\w* ?\[?(\/[\w/{}-]*)|View function mapping is overwriting an existing endpoint function: (\w+)|conflicts with (?:existing|pattern) .*?"?(\/\S+)/,
    score: 92,
    classification: 'code',
    says: 'The route {} is registered twice.',
    fix: 'Remove or rename one of the two.',
    place: (hit, file) => traceAround(file, hit.at)?.places[0] ?? quotedPath(hit, file),
  },
];

function nginxLine(hit: Hit, file: CaseFile): Place | null {
  const printed = / in (\S+):(\d+)/.exec(hit.text);
  const exact = printed === null ? null : sameName(file, printed[1] ?? '', Number(printed[2]));
  const host = /upstream "([^":]+)/.exec(hit.text)?.[1];
  return exact ?? (host === undefined ? null : lineIn(file, new RegExp(escape(host)), /\.conf/));
}

/** A file of the image is known here by its name only. */
function sameName(file: CaseFile, printed: string, line: number): Place | null {
  const base = printed.split('/').at(-1) ?? printed;
  const path = file.repo.paths.find((one) => one.endsWith(base));
  return path !== undefined && (file.repo.lines(path)?.length ?? 0) >= line
    ? { file: path, line }
    : null;
}

function declaredAs(hit: Hit, file: CaseFile): Place | null {
  const name = caught(hit).split(/[.\\]/).at(-1) ?? '';
  return name === ''
    ? (traceAround(file, hit.at)?.places[0] ?? null)
    : (settingLine(
        file,
        new RegExp(`(?:class|interface|type|object|record)\\s+${escape(name)}\\b`),
      ) ?? settingLine(file, new RegExp(`\\b${escape(name)}\\b`)));
}

const quotedPath = (hit: Hit, file: CaseFile): Place | null => {
  const path = caught(hit).replace(/[;,)].*$/, '');
  return path === '' ? null : settingLine(file, new RegExp(`['"\`]${escape(path)}['"\`]`));
};

/** The program reads its settings or its wiring and does not accept them. */
export const settings = fromWordings(ROWS.map(plainRow));
