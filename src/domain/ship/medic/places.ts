import type { CaseFile } from './case-file.ts';
import { grep, isSource, lineAt } from './repository.ts';
import type { Place } from './repository.ts';

const isImage = (path: string): boolean =>
  /(?:^|\/)(?:Dockerfile|Containerfile)[\w.-]*$/.test(path);
const isSetting = (path: string): boolean =>
  isSource(path) ||
  /\.(?:ya?ml|toml|json|properties|conf|ini|cfg|xml|prisma)$|(?:^|\/)(?:Procfile|Dockerfile|Gemfile)[\w.]*$/.test(
    path,
  );

/** The line that chooses what the image runs on; the last one is the image that starts. */
export const baseImage = (file: CaseFile): Place | null =>
  grep(file.repo, /^\s*FROM\s/i, isImage).at(-1) ?? null;

/** The first line of the image's recipe that matches. */
export const imageLine = (file: CaseFile, pattern: RegExp): Place | null =>
  grep(file.repo, pattern, isImage)[0] ?? null;

/** A line that a recent change added and that is still there. */
export function changedLine(file: CaseFile, pattern: RegExp): Place | null {
  for (const { file: path, added } of file.evidence.changes)
    for (const { line, text } of added) {
      const now = lineAt(file.repo, { file: path, line });
      if (now !== null && pattern.test(text) && now.trim() === text.trim())
        return { file: path, line };
    }
  return null;
}

/** A line of source or settings: what was changed last is asked first. */
export const settingLine = (file: CaseFile, pattern: RegExp): Place | null =>
  changedLine(file, pattern) ?? grep(file.repo, pattern, isSetting)[0] ?? null;

/** A line of one kind of file. */
export const lineIn = (file: CaseFile, pattern: RegExp, path: RegExp): Place | null =>
  grep(file.repo, pattern, (one) => path.test(one))[0] ?? null;

/** A manifest of the lane's package manager, at the line that matches. */
export const manifestLine = (file: CaseFile, pattern: RegExp): Place | null =>
  lineIn(
    file,
    pattern,
    /(?:^|\/)(?:package\.json|requirements[\w-]*\.txt|pyproject\.toml|Pipfile|Gemfile|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|mix\.exs|deno\.jsonc?|[\w.]+\.csproj)$/,
  );

/** What is missing in an image is a matter of its recipe; without a recipe it is the machine's. */
export const imageOrMachine = (_hit: unknown, file: CaseFile): 'config' | 'infra' =>
  file.repo.paths.some(isImage) ? 'config' : 'infra';
