import type { Source } from './evidence.ts';

/** What a Dockerfile says about the process in its last stage. */
export interface Dockerfile {
  readonly source: Source;
  readonly base: string | null;
  readonly ports: readonly Found<number>[];
  readonly env: ReadonlyMap<string, Found<string>>;
  readonly start: Found<string> | null;
  readonly health: Found<string> | null;
}

export interface Found<T> {
  readonly value: T;
  readonly position: number;
}

interface Instruction {
  readonly name: string;
  readonly rest: string;
  readonly position: number;
}

export function readDockerfile(source: Source): Dockerfile {
  const instructions = lastStage(instructionsOf(source.text));
  const env = new Map<string, Found<string>>();
  for (const { name, rest, position } of instructions) {
    if (name !== 'ENV' && name !== 'ARG') continue;
    for (const [key, value] of assignments(rest)) env.set(key, { value, position });
  }
  return {
    source,
    base: instructions.find(({ name }) => name === 'FROM')?.rest.split(/\s+/)[0] ?? null,
    ports: instructions.filter(({ name }) => name === 'EXPOSE').flatMap((one) => exposed(one, env)),
    env,
    start: startOf(instructions),
    health: healthOf(instructions),
  };
}

function instructionsOf(text: string): readonly Instruction[] {
  const found: Instruction[] = [];
  const pattern = /^[ \t]*([A-Za-z]+)[ \t]+((?:[^\\\n]|\\[\s\S])*)/gm;
  for (const match of text.matchAll(pattern))
    found.push({
      name: (match[1] ?? '').toUpperCase(),
      rest: (match[2] ?? '').replaceAll(/\\\s*\n/g, ' ').trim(),
      position: match.index,
    });
  return found;
}

function lastStage(instructions: readonly Instruction[]): readonly Instruction[] {
  const from = instructions.findLastIndex(({ name }) => name === 'FROM');
  return from < 0 ? instructions : instructions.slice(from);
}

function assignments(rest: string): readonly (readonly [string, string])[] {
  const pairs = [...rest.matchAll(/([A-Za-z_]\w*)=("[^"]*"|'[^']*'|\S*)/g)];
  if (pairs.length > 0)
    return pairs.map((pair) => [pair[1] ?? '', (pair[2] ?? '').replaceAll(/["']/g, '')]);
  const [key, ...value] = rest.split(/\s+/);
  return key === undefined ? [] : [[key, value.join(' ')]];
}

function exposed(
  { rest, position }: Instruction,
  env: ReadonlyMap<string, Found<string>>,
): readonly Found<number>[] {
  return rest.split(/\s+/).flatMap((word) => {
    const name = /^\$\{?(\w+)/.exec(word)?.[1];
    const port = Number((name === undefined ? word : (env.get(name)?.value ?? '')).split('/')[0]);
    return Number.isInteger(port) && port > 0 ? [{ value: port, position }] : [];
  });
}

function startOf(instructions: readonly Instruction[]): Found<string> | null {
  const entry = instructions.findLast(({ name }) => name === 'ENTRYPOINT');
  const cmd = instructions.findLast(({ name }) => name === 'CMD');
  const last = cmd ?? entry;
  if (last === undefined) return null;
  const words = [entry, cmd].filter((one) => one !== undefined).map(({ rest }) => execForm(rest));
  const value = isLauncher(words[0] ?? '') && words.length > 1 ? words[1] : words.join(' ');
  return { value: value ?? '', position: last.position };
}

// An entry script such as docker-entrypoint.sh prepares things and then runs the command it is given.
function isLauncher(entry: string): boolean {
  return /\.sh$|^(tini|dumb-init|\/sbin\/tini|\/usr\/bin\/tini)( |$)/.test(entry);
}

function execForm(rest: string): string {
  if (!rest.startsWith('[')) return rest;
  const words = [...rest.matchAll(/"((?:\\.|[^"\\])*)"/g)].map((match) => match[1] ?? '');
  const shell = words[0] !== undefined && /(^|\/)(ba|da)?sh$/.test(words[0]);
  if (shell && words[1]?.includes('c') === true) return words.slice(2).join(' ');
  return words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
}

function healthOf(instructions: readonly Instruction[]): Found<string> | null {
  const check = instructions.findLast(({ name }) => name === 'HEALTHCHECK');
  const path = check === undefined ? undefined : pathOfUrl(check.rest);
  return check === undefined || path === undefined
    ? null
    : { value: path, position: check.position };
}

/** The path of the first local address in a command such as `curl -f http://localhost:3000/health`. */
export function pathOfUrl(text: string): string | undefined {
  const url = /https?:\/\/[\w.$\]{}[:-]+(\/[^\s"'|,)\]]*)?/.exec(text);
  return url === null ? undefined : (url[1] ?? '/');
}
