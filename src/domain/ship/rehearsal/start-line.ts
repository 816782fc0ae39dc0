import { toldPort } from '../author/templates/command-line.ts';
import type { PortBinding } from '../author/lane.ts';

type Startable = {
  readonly start: string | null;
  /** The package script behind it, preferred so that hooks run as the owner meant. */
  readonly startVia?: string | null;
  readonly portBinding?: PortBinding | null;
};

export type StartLine = {
  readonly line: string;
  /** Variables by which the service learns of its port, besides PORT. */
  readonly env: Readonly<Record<string, string>>;
};

/** The command that starts a lane on a port of our choice, by the way in which it takes one. */
export function startLine(lane: Startable, port: number | null): StartLine | null {
  const own = lane.startVia ?? lane.start;
  if (own === null) return null;
  const binding = lane.start === null ? null : toldPort(lane.start, lane.portBinding ?? null);
  if (port === null || binding === null) return { line: own, env: {} };
  if (binding.by === 'env') return { line: own, env: { [binding.name]: String(port) } };
  return { line: binding.by === 'fixed' ? own : withFlag(lane, own, binding.flag, port), env: {} };
}

function withFlag({ start, startVia }: Startable, own: string, flag: string, port: number): string {
  const value = BOTH.has(flag) ? `127.0.0.1:${port}` : String(port);
  const named = said(start ?? '', flag);
  if (named === null) return appended(own, startVia ?? null, `${flag} ${value}`);
  // A port inside a package script cannot be changed from outside.
  return startVia == null ? own.replace(named.whole, named.with(value)) : own;
}

const BOTH = new Set(['--bind', '-b']);

type Said = { readonly whole: string; readonly with: (value: string) => string };

/** Where a command names its port already, as `--port 80`, `--port=80` or `-p80`. */
function said(command: string, flag: string): Said | null {
  const found = new RegExp(`(?<=^|\\s)${RegExp.escape(flag)}(\\s+|=)(\\S+)`).exec(command);
  if (found === null) return null;
  const [whole, between = ' '] = found;
  return { whole, with: (value) => `${flag}${between}${value}` };
}

/** npm wants two dashes before what is the script's; the others hand everything on. */
function appended(own: string, via: string | null, words: string): string {
  const isNpm = via !== null && /^npm\b/.test(via);
  return isNpm ? `${own} -- ${words}` : `${own} ${words}`;
}
