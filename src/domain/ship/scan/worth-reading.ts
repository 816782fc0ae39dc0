import { baseOf } from './snapshot.ts';

const MOST_FILES = 4_000;
const MOST_SOURCES_PER_ENDING = 1_500;

const NAMES =
  /^(Dockerfile.*|.*\.Dockerfile|.*\.dockerfile|Containerfile|Procfile(\..*)?|Gemfile|Gemfile\.lock|Rakefile|Makefile|Pipfile|mix\.exs|go\.mod|go\.work|build\.gradle(\.kts)?|settings\.gradle(\.kts)?|gradle\.properties|pom\.xml|Package\.swift|config\.ru|artisan|pubspec\.yaml|AndroidManifest\.xml|.*\.(csproj|fsproj|vbproj|gemspec|sln)|requirements.*\.txt|setup\.(py|cfg)|\.env\.[\w.-]*(example|sample|template|schema|dist|default)s?|\.env\.schema|\.?env\.(example|sample|template|dist)|example\.env|sample\.env|crontab|\.ruby-version|application.*\.properties|prisma\.schema|.*\.prisma|.*\.cron)$/i;

const DATA = /\.(json|jsonc|toml|ya?ml)$/i;
const BULKY_DATA =
  /^(package-lock|npm-shrinkwrap|composer\.lock|pnpm-lock|.*[-.]lock)\.(json|ya?ml)$|\.min\.|^(tsconfig.*|.*\.schema|openapi|swagger.*)\.json$/i;

const PROGRAM =
  /\.(js|mjs|cjs|ts|mts|cts|jsx|tsx|vue|svelte|astro|py|go|rs|rb|ru|php|java|kt|kts|scala|cs|fs|ex|exs|swift)$/i;

/** The files whose content can change a conclusion, the most telling first. */
export function worthReading(files: readonly string[]): readonly string[] {
  const manifests = files.filter(isManifest).toSorted(byDepth);
  const programs = files.filter((file) => !isManifest(file) && isProgram(file)).toSorted(byDepth);
  return [...manifests.slice(0, MOST_FILES / 2), ...capped(programs)].slice(0, MOST_FILES);
}

export function isManifest(file: string): boolean {
  const name = baseOf(file);
  if (NAMES.test(name)) return true;
  return DATA.test(name) && !BULKY_DATA.test(name) && depthOf(file) <= 6;
}

function isProgram(file: string): boolean {
  return (
    (PROGRAM.test(file) && !/\.(min|d)\.[a-z]+$/.test(file)) ||
    /(^|\/)(bin|script)\/[a-z-]+$/.test(file) ||
    /(^|\/)index\.html$/.test(file)
  );
}

// A huge repository has thousands of files of one language: the shallow ones hold the entry points.
function capped(programs: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return programs.filter((file) => {
    const ending = file.slice(file.lastIndexOf('.'));
    const count = (seen.get(ending) ?? 0) + 1;
    seen.set(ending, count);
    return count <= MOST_SOURCES_PER_ENDING;
  });
}

const depthOf = (file: string): number => file.split('/').length;

function byDepth(a: string, b: string): number {
  return depthOf(a) - depthOf(b) || (a < b ? -1 : 1);
}
