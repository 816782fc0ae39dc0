import type { Place, Repository } from './repository.ts';

const OUTPUT =
  /(?:^|\/)(?:dist|build|out|lib|\.next\/server|\.output\/server|\.svelte-kit\/output\/server)\//;
const SOURCES = /\.(?:[cm]?[jt]sx?|vue|svelte)$/;

/** The source file behind a compiled one, by the path it keeps inside the output folder. */
export function sourceBehind(repo: Repository, printed: string): string | null {
  const output = OUTPUT.exec(printed);
  if (output === null) return null;
  const stem = bare(printed.slice(output.index + output[0].length));
  const wanted = [`src/${stem}`, stem, `app/${stem}`];
  return (
    repo.paths.find(
      (path) => SOURCES.test(path) && wanted.some((one) => endsWith(bare(path), one)),
    ) ?? null
  );
}

/**
 * The place in the source that a compiled frame stands for.
 *
 * Compilers keep most lines as they are, so the printed line of output is looked for in the source;
 * failing that, the name that the error complains about.
 */
export function placeBehind(
  repo: Repository,
  printed: string,
  excerpt: string,
  message: string,
): Place | null {
  const file = sourceBehind(repo, printed);
  const lines = file === null ? null : repo.lines(file);
  if (file === null || lines === null) return null;
  const wanted = squeeze(excerpt);
  const word = complainedOf(message);
  const same = lines.findIndex((line) => wanted !== '' && squeeze(line) === wanted);
  const named = lines.findIndex((line) => word !== '' && line.includes(word));
  const index = same >= 0 ? same : named;
  return index < 0 ? null : { file, line: index + 1 };
}

/** The property in use, the function or the sentence that the error is about. */
function complainedOf(message: string): string {
  const property = /reading '(\w+)'/.exec(message)?.[1];
  if (property !== undefined) return `.${property}`;
  const name = /(\w+) is not (?:a function|defined|iterable)/.exec(message)?.[1];
  return name ?? /^\w*Error: (.{6,40})/.exec(message)?.[1] ?? '';
}

const bare = (path: string): string => path.replace(/\.[cm]?[jt]sx?$|\.vue$|\.svelte$/, '');
const endsWith = (path: string, stem: string): boolean =>
  path === stem || path.endsWith(`/${stem}`);
const squeeze = (line: string): string => line.replace(/[\s;'"`]/g, '');
