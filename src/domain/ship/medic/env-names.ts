import { grep, isSource } from './repository.ts';
import type { Found, Repository } from './repository.ts';

const NAME = '([A-Za-z_][A-Za-z0-9_]*)';
const READS = [
  `process\\.env\\.${NAME}`,
  `process\\.env\\[['"\`]${NAME}`,
  `import\\.meta\\.env\\.${NAME}`,
  `(?:Deno|Bun)\\.env(?:\\.get\\(['"]|\\.)${NAME}`,
  `environ(?:\\.get\\(|\\[)\\s*['"]${NAME}`,
  `getenv\\(\\s*['"]${NAME}`,
  `ENV(?:\\.fetch\\(|\\[)\\s*['"]${NAME}`,
  `os\\.(?:Getenv|LookupEnv)\\("${NAME}`,
  `env::var(?:_os)?\\("${NAME}`,
  `\\benv!?\\(\\s*['"]${NAME}`,
  `GetEnvironmentVariable\\("${NAME}`,
  `System\\.(?:get_env|fetch_env!?)\\("${NAME}`,
  `\\$_(?:ENV|SERVER)\\['${NAME}`,
].map((source) => new RegExp(source));
const UNPACKED = /\{([^}]*)\}\s*=\s*process\.env\b/;

/** The environment variables a line of source reads. */
export function envNamesIn(line: string): string[] {
  const unpacked = UNPACKED.exec(line)?.[1] ?? '';
  const direct = READS.flatMap((pattern) => pattern.exec(line)?.[1] ?? []);
  const fromObject = unpacked
    .split(',')
    .map((part) => /^\s*([A-Za-z_]\w*)/.exec(part)?.[1])
    .filter((name) => name !== undefined);
  return [...new Set([...direct, ...fromObject])];
}

/** Where the program reads a variable, the likeliest place first. */
export function whereRead(repo: Repository, name: string): Found[] {
  const word = new RegExp(`\\b${escape(name)}\\b`);
  const found = grep(repo, word, (path) => !/\.(?:md|lock|txt)$|package-lock\.json$/.test(path));
  const reads = found.filter(({ text }) => envNamesIn(text).includes(name));
  return reads.length > 0 ? reads : found;
}

/** Every variable the sources read by name. */
export function namesRead(repo: Repository): string[] {
  return grep(repo, /env|ENV/, isSource, 400).flatMap(({ text }) => envNamesIn(text));
}

/** The variables behind the words of a line, one step of assignment away. */
export function envNamesBehind(repo: Repository, line: string): { name: string; at: Found }[] {
  const words = [...new Set(line.match(/[A-Za-z_$][\w$]+/g))].filter((word) => !COMMON.has(word));
  return words.slice(0, 12).flatMap((word) => {
    const assigned = new RegExp(`(?:\\b|['"])${escape(word)}['"]?\\s*(?::[^=]*)?[:=](?!=)`);
    return grep(repo, assigned).flatMap((at) => envNamesIn(at.text).map((name) => ({ name, at })));
  });
}

const COMMON = new Set(
  'const let var new await return function async throw require import from process env this self null undefined true false console log error length if else for while def class app server http'.split(
    ' ',
  ),
);

export const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
