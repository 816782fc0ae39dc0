import { cite } from './evidence.ts';
import { at, keysOf, stringOf } from './json.ts';
import type { Evidence, Hook } from './lane.ts';
import type { Project } from './project.ts';
import { type Command, commandsOf, joined, variablesOf } from './shell-words.ts';

/** A package script followed to the commands that really run. */
export interface Resolved {
  readonly script: string;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly commands: readonly Command[];
  readonly hooks: readonly Hook[];
  readonly evidence: Evidence;
}

const DEEPEST = 6;
const RUNNERS = new Set(['npm', 'pnpm', 'yarn', 'bun', 'npm-run-all', 'run-s', 'run-p', 'nr']);

const QUIET = /^(-s|--silent|--if-present)$/;
const NPM_SHORTCUTS = new Set(['start', 'test', 'stop', 'restart']);

export type Scripts = ReadonlyMap<string, string>;

export function scriptsOf(project: Project, manifest = 'package.json'): Scripts {
  const table = at(project.data(manifest), 'scripts');
  const pairs = keysOf(table).flatMap((name) => {
    const line = stringOf(at(table, name));
    return line === undefined || line.trim() === '' ? [] : [[name, line] as const];
  });
  return new Map(pairs);
}

/** Follows a script through other scripts, variables and chains. */
export function resolveScript(
  project: Project,
  scripts: Scripts,
  name: string,
  field: string,
): Resolved | undefined {
  const line = scripts.get(name);
  if (line === undefined) return undefined;
  const commands = expand(scripts, line, DEEPEST);
  const command = joined(commands);
  return {
    script: name,
    command,
    env: variablesOf(commands),
    commands,
    hooks: hooksOf(scripts, name),
    evidence: cite(
      field,
      command,
      project.source('package.json'),
      new RegExp(`"${escaped(name)}"\\s*:\\s*"`),
      'package-script',
    ),
  };
}

/** Follows a command line such as `npm start` or `node a.js` in the same way. */
export function resolveLine(scripts: Scripts, line: string): readonly Command[] {
  return expand(scripts, line, DEEPEST);
}

/** The script a command line names, when it is nothing but a call of one. */
export function scriptNamed(scripts: Scripts, line: string): string | undefined {
  const commands = commandsOf(line);
  const [only] = commands;
  return commands.length === 1 && only !== undefined ? calledScript(scripts, only) : undefined;
}

function expand(scripts: Scripts, line: string, depth: number): readonly Command[] {
  return commandsOf(line).flatMap((command) => {
    const called = calledScript(scripts, command);
    const inner = called === undefined ? undefined : scripts.get(called);
    if (inner === undefined || depth === 0) return [command];
    return expand(scripts, inner + passedOn(command), depth - 1).map((one, index) => ({
      ...one,
      env: { ...command.env, ...one.env },
      joiner: index === 0 ? command.joiner : one.joiner,
    }));
  });
}

function calledScript(scripts: Scripts, command: Command): string | undefined {
  const [runner = '', ...rest] = command.words;
  if (!RUNNERS.has(runner)) return undefined;
  const [first = '', second = ''] = rest.filter((word) => !QUIET.test(word));
  // `npm -w api start` or `pnpm --filter api start` runs another package's script.
  if (first.startsWith('-')) return undefined;
  const explicit = first === 'run' || first === 'run-script';
  const name = explicit ? second : first;
  if (!scripts.has(name)) return undefined;
  return explicit || runner !== 'npm' || NPM_SHORTCUTS.has(name) ? name : undefined;
}

function passedOn(command: Command): string {
  const [, after] = command.text.split(/\s--\s/, 2);
  return after === undefined ? '' : ` ${after}`;
}

function hooksOf(scripts: Scripts, name: string): readonly Hook[] {
  return [`pre${name}`, `post${name}`].flatMap((script) => {
    const line = scripts.get(script);
    return line === undefined ? [] : [{ script, command: joined(expand(scripts, line, DEEPEST)) }];
  });
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
