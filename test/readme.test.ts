import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
const WIDEST = 80;

/** Pages whose `console` blocks are played from top to bottom, each page in a directory of its own. */
const PLAYED = [
  'README.md',
  'docs/guides/first-convoy.md',
  'docs/guides/configuration.md',
  'docs/guides/gates-and-agents.md',
  'docs/guides/merge-queue.md',
  'docs/guides/teams.md',
  'docs/guides/interchange.md',
  'docs/guides/shipping.md',
  'docs/operations/ledger.md',
  'docs/operations/daemon.md',
  'docs/operations/troubleshooting.md',
];

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'convoy-readme-'));
  await writeFile(join(home, '.gitconfig'), '[user]\nname = You\nemail = you@example.com\n');
  const bin = join(home, 'bin');
  await mkdir(bin);
  const launcher = join(bin, 'convoy');
  await writeFile(
    launcher,
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'bin/convoy.js')}" "$@"\n`,
  );
  await chmod(launcher, 0o755);
});
afterEach(async () => {
  // A page that failed half-way may have left its daemon running.
  for (const dir of await readdir(home))
    if (existsSync(join(home, dir, '.convoy'))) await play('convoy down', join(home, dir));
  await rm(home, { recursive: true, force: true });
});

test.each(PLAYED)('what %s shows is what happens', async (page) => {
  const steps = stepsIn(await read(page));
  expect(steps.length).toBeGreaterThan(0);
  const bound = new Bindings(home);
  let cwd = home;
  for (const { command, exit, shown } of steps) {
    const played = await play(bound.toReal(command), cwd);
    cwd = played.cwd;
    bound.learn(shown, played.output);
    expect({ command, exit: played.exit, output: bound.asShown(shown, played.output) }).toEqual({
      command,
      exit,
      output: shown,
    });
  }
});

test.each(PLAYED)('no terminal excerpt of %s is wider than 80 columns', async (page) => {
  const wide = consoleBlocks(await read(page))
    .flat()
    .filter((line) => line.length > WIDEST);
  expect(wide).toEqual([]);
});

test('every link between our pages leads somewhere', async () => {
  const broken = await Promise.all((await pagesUnder('.')).map(brokenLinksOf));
  expect(broken.flat()).toEqual([]);
});

test('every file that our pages name exists', async () => {
  const gone = await Promise.all((await pagesUnder('.')).map(missingFilesOf));
  expect(gone.flat()).toEqual([]);
});

test('no page names a place of one machine', async () => {
  const places = await Promise.all(
    (await pagesUnder('.')).map(async (page) =>
      [...(await read(page)).matchAll(/\/(?:home\/(?!you\b)|Users\/|root\/|tmp\/)[\w./-]*/g)].map(
        ([place]) => `${page}: ${place}`,
      ),
    ),
  );
  expect(places.flat()).toEqual([]);
});

test('every test that the threat model names exists', async () => {
  const named = [...(await read('docs/security.md')).matchAll(/`(\S+\.test\.ts)` "([^|]+)" \|/g)];
  expect(named.length).toBeGreaterThan(20);
  const gone = named.filter(
    ([, file = '', title = '']) => !readFileSync(join(root, file), 'utf8').includes(title),
  );
  expect(gone.map(([text]) => text)).toEqual([]);
});

test('no generated page is stale', async () => {
  const checked = await run(process.execPath, ['scripts/docs.mjs', '--check'], {
    cwd: root,
  }).catch((error: { stderr: string }) => ({ stderr: error.stderr }));
  expect(checked.stderr).toBe('');
});

type Step = { command: string; exit: number; shown: string[] };

/**
 * Lines that begin with `$ ` are commands, those with `>` behind one go on with it; `# exit N` says
 * how it ends.
 */
function stepsIn(text: string): Step[] {
  const steps: Step[] = [];
  for (const line of consoleBlocks(text).flat()) {
    if (line.startsWith('$ ')) {
      const command = line.slice(2);
      steps.push({ command, exit: Number(/# exit (\d+)$/.exec(command)?.[1] ?? 0), shown: [] });
      continue;
    }
    const last = steps.at(-1);
    const goesOn = /^>(?: (.*))?$/.exec(line);
    if (last === undefined) throw new Error(`Output before any command: ${line}`);
    if (goesOn === null || last.shown.length > 0) last.shown.push(line);
    else last.command += `\n${goesOn[1] ?? ''}`;
  }
  return steps;
}

function consoleBlocks(text: string): string[][] {
  return [...text.matchAll(/^```console\n(.*?)^```$/gms)].map(([, body = '']) =>
    body.trimEnd().split('\n'),
  );
}

type Played = { exit: number; output: string[]; cwd: string };

async function play(command: string, cwd: string): Promise<Played> {
  const place = join(home, 'cwd');
  const script = `${command}\ncode=$?\npwd > '${place}'\nexit $code`;
  const env = {
    PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    USER: 'you',
    XDG_CACHE_HOME: join(home, 'cache'),
    CONVOY_PORT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const { exit, text } = await run('sh', ['-c', `exec 2>&1\n${script}`], { cwd, env }).then(
    ({ stdout }) => ({ exit: 0, text: stdout }),
    (error: { code: number; stdout: string }) => ({ exit: error.code, text: error.stdout }),
  );
  const output = text.trimEnd() === '' ? [] : text.trimEnd().split('\n');
  return { exit, output, cwd: (await readFile(place, 'utf8')).trim() };
}

/** What differs from run to run: ids keep standing for the same thing, the rest is only masked. */
class Bindings {
  readonly #realOf = new Map<string, string>();
  readonly #shownOf = new Map<string, string>();
  readonly #home: string;

  constructor(place: string) {
    this.#home = place;
  }

  /** Binds the ids that a page shows for the first time to those really printed in their places. */
  learn(shown: readonly string[], output: readonly string[]): void {
    const pairs = this.#align(shown, output);
    for (const [line, real] of pairs) {
      const [theirs, ours] = [line.match(ID) ?? [], real.match(ID) ?? []];
      theirs.forEach((id, place) => {
        const other = ours[place];
        if (other === undefined || this.#realOf.has(id) || this.#shownOf.has(other)) return;
        this.#realOf.set(id, other);
        this.#shownOf.set(other, id);
      });
    }
  }

  toReal(text: string): string {
    return text.replaceAll(ID, (id) => this.#realOf.get(id) ?? id);
  }

  /** The output in the page's words; where the page leaves lines out with …, so does this. */
  asShown(shown: readonly string[], output: readonly string[]): string[] {
    const said = output.map((line) => this.#say(line));
    const kept = shown.map((line) => mask(line));
    return fits(kept, said) ? [...shown] : said;
  }

  #say(line: string): string {
    return mask(
      line.replaceAll(this.#home, '/home/you').replaceAll(ID, (id) => this.#shownOf.get(id) ?? id),
    );
  }

  #align(shown: readonly string[], output: readonly string[]): [string, string][] {
    const gap = shown.indexOf(LEFT_OUT);
    const head = gap < 0 ? shown : shown.slice(0, gap);
    const tail = gap < 0 ? [] : shown.slice(shown.lastIndexOf(LEFT_OUT) + 1);
    return [
      ...head.map((line, place): [string, string] => [line, output[place] ?? '']),
      ...tail.map((line, place): [string, string] => [
        line,
        output[output.length - tail.length + place] ?? '',
      ]),
    ];
  }
}

const LEFT_OUT = '…';
const ID = /\b(?:shop-[0-9a-z]{3}|cv-[0-9a-z]{5}|tok-[0-9a-z]{6}|plan-[0-9a-z]{5})(?![0-9a-z])/g;

function mask(line: string): string {
  return line
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/pid \d+/g, 'pid PID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{12}|[0-9a-f]{8})\b/g, 'HASH')
    .replaceAll(/\bcvy_[\w-]{20,}/g, 'SECRET')
    .replaceAll(/\d+ events about \d+ subjects/g, 'EVENTS')
    .replaceAll(/v2\d\.\d+\.\d+/g, 'NODE')
    .replaceAll(/git version [\d.]+/g, 'GIT')
    .replaceAll(/[\d.]+ GB free/g, 'SPACE')
    .replaceAll(/(?:just now|\d+[smh] ago) +/g, 'AGO ')
    .replaceAll(/CREATED +/g, 'CREATED ')
    .trimEnd();
}

/** A line `…` of the page stands for any number of lines, and … at a line's end for its rest. */
function fits(shown: readonly string[], said: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return said.length === 0;
  if (first === LEFT_OUT)
    return said.some((_, from) => fits(rest, said.slice(from))) || rest.length === 0;
  const [line, ...others] = said;
  return line !== undefined && isLike(first, line) && fits(rest, others);
}

const isLike = (shown: string, line: string): boolean =>
  shown.endsWith(` ${LEFT_OUT}`) ? line.startsWith(shown.slice(0, -2)) : line === shown;

async function brokenLinksOf(page: string): Promise<string[]> {
  const text = (await read(page)).replaceAll(/^```.*?^```$/gms, '');
  return [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !existsSync(resolve(root, dirname(page), target)))
    .map((target) => `${page} → ${target}`);
}

const FOLDERS = new Set(['docs', 'examples', 'decisions', 'guides', 'operations', 'reference']);

async function missingFilesOf(page: string): Promise<string[]> {
  const named = (await read(page)).matchAll(/`((?:src|test|scripts|bin|docs)\/[\w./-]+)`/g);
  return [...named]
    .map(([, path = '']) => path)
    .filter((path) => !existsSync(join(root, path)))
    .map((path) => `${page}: ${path}`);
}

async function pagesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const nested = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory() && FOLDERS.has(entry.name))
      .map((entry) => pagesUnder(join(folder, entry.name))),
  );
  const here = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.md'));
  return [...here.map((entry) => join(folder, entry.name)), ...nested.flat()];
}

const read = (page: string): Promise<string> => readFile(join(root, page), 'utf8');
