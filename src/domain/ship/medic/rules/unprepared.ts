import { locate, traceAround } from '../case-file.ts';
import type { CaseFile, Hit } from '../case-file.ts';
import { escape } from '../env-names.ts';
import { lineIn, manifestLine, settingLine } from '../places.ts';
import type { Place } from '../repository.ts';
import { caught, fromWordings, plainRow } from './wording.ts';
import type { PlainRow } from './wording.ts';

const script = (file: CaseFile, name: string): Place | null =>
  lineIn(file, new RegExp(`"${name}"\\s*:`), /(?:^|\/)package\.json$/);

/** Something that a step before the start should have made, told by the words of each tool. */
const ROWS: readonly PlainRow[] = [
  {
    rule: 'not-generated',
    pattern:
      /@prisma\/client did not initialize yet|Prisma Client (?:has not been generated|is not generated)|Cannot find module '\.prisma\/client/,
    score: 95,
    classification: 'config',
    says: 'The Prisma client was not generated: nothing runs `prisma generate` between the install and the start.',
    fix: 'Run `prisma generate` in the build (or as postinstall), where the schema is at hand.',
    place: (_hit, file) => script(file, 'build') ?? script(file, 'postinstall'),
  },
  {
    rule: 'not-built',
    pattern:
      /Could not find a production build in the ['"]([^'"]+)['"] directory|(?:No build found|Unable to locate build)(?: at (\S+))?|Run `?next build|Nuxt build (?:files )?not found|Cannot find .*\.(?:output|next|svelte-kit)\b(\S*)|Could not load .*build\/(?:server|index)\.js/,
    score: 95,
    classification: 'config',
    says: 'The production build {} does not exist: the build step did not run before the start (or its output was not kept).',
    fix: 'Run the build before the start command, and keep its output in the release.',
    place: (_hit, file) => script(file, 'start') ?? script(file, 'build'),
  },
  {
    rule: 'assets-missing',
    pattern:
      /Vite manifest not found at: (\S+)|Mix manifest (?:not found at|does not exist):? ?(\S*)|The asset ['"]([^'"]+)['"] is not present in the asset pipeline|Propshaft::MissingAssetError.*?['"]([^'"]+)['"]|Webpacker can't find (\S+)|Missing staticfiles manifest entry for '([^']+)'|could not find static manifest at "([^"]+)"|ManifestMissingError|Unable to find (?:asset )?manifest(?: at)? (\S+)/,
    score: 94,
    classification: 'config',
    says: 'The built assets ({}) are not there: the step that compiles or collects them did not run.',
    otherwise: 'their manifest',
    fix: 'Run the asset build (vite build, assets:precompile, collectstatic, phx.digest) before the start.',
  },
  {
    rule: 'autoload-missing',
    pattern:
      /(vendor\/autoload\.php)['"]?\)?:? [Ff]ailed to open stream|Failed opening required '\S*(vendor\/autoload\.php)'/,
    score: 95,
    classification: 'config',
    says: '{} does not exist: the PHP dependencies were not installed.',
    fix: 'Run `composer install` before the start.',
    place: (_hit, file) => settingLine(file, /vendor\/autoload\.php/),
  },
  {
    rule: 'query-cache',
    pattern: /set `(DATABASE_URL)` to use query macros online/,
    score: 98,
    classification: 'config',
    says: 'The query macros of sqlx need {} or a prepared query cache at compile time, and neither is there.',
    fix: 'Run `cargo sqlx prepare` and commit .sqlx, or build with SQLX_OFFLINE and the cache.',
    place: (hit, file) => arrowBelow(hit, file),
  },
  {
    rule: 'not-registered',
    pattern:
      /Received unregistered task of type '([^']+)'|NotRegistered: '?([\w.]+)|uninitialized constant (\w+(?:Job|Worker))\b|No handler registered for (?:job |task )?['"]?([\w.:-]+)|Missing process handler for job type (\S+)/,
    score: 93,
    classification: 'code',
    says: 'The worker was sent the task {}, which it does not know: the module that defines it is not loaded by the worker.',
    fix: 'Import the module in the worker (include=, autodiscover_tasks, imports), or send the name it is registered under.',
    place: (hit, file) => taskPlace(hit, file),
  },
  {
    rule: 'hook-needs-tool',
    pattern:
      /(?:sh|bash)(?:: \d+| line \d+)?: (husky|lefthook|simple-git-hooks|patch-package|ngcc|is-ci|lint-staged|only-allow): (?:command )?not found/,
    score: 95,
    classification: 'config',
    says: 'An install script of package.json runs {}, which is not installed here (a development dependency, left out by the production install).',
    fix: 'Let the script pass where {} is absent, or run the install with --ignore-scripts.',
    place: (hit, file) =>
      lineIn(
        file,
        new RegExp(`"(?:prepare|postinstall|preinstall|install)".*${escape(caught(hit))}`),
        /package\.json$/,
      ) ?? manifestLine(file, new RegExp(escape(caught(hit)))),
  },
];

function arrowBelow(hit: Hit, file: CaseFile): Place | null {
  for (const { text } of file.lines.slice(hit.at + 1, hit.at + 5)) {
    const arrow = /--> (\S+):(\d+):\d+/.exec(text);
    if (arrow !== null) return locate(file, arrow[1] ?? '', Number(arrow[2]));
  }
  return null;
}

const spelled = (text: string): RegExp => new RegExp(`\\b${escape(text)}\\b`);

function taskPlace(hit: Hit, file: CaseFile): Place | null {
  const name = caught(hit);
  const last = name.split('.').at(-1) ?? name;
  return (
    traceAround(file, hit.at)?.places[0] ??
    settingLine(
      file,
      /\binclude\s*=\s*\[|autodiscover_tasks\(|CELERY_IMPORTS|\bimports\s*=\s*[[(]/,
    ) ??
    settingLine(file, spelled(name)) ??
    settingLine(file, spelled(last))
  );
}

/** A step that should have come before was left out. */
export const unprepared = fromWordings(ROWS.map(plainRow));
