import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findWorkspace } from '../../config/workspace.ts';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';

type Place = Pick<CommandContext, 'dir' | 'env' | 'host' | 'err'>;

/** Acting as a token means talking to somebody else's workspace. */
export const isRemote = ({ env }: Pick<CommandContext, 'env'>): boolean =>
  Boolean(env['CONVOY_TOKEN']);

export const hasWorkspace = (place: Pick<CommandContext, 'dir' | 'env'>): boolean =>
  isRemote(place) || findWorkspace(place.dir).ok;

/** Makes a workspace where the command runs when there is none, and says so. */
export async function ensureWorkspace(place: Place): Promise<void> {
  const { dir, env, host, err } = place;
  if (hasWorkspace(place)) return;
  const none = { name: undefined, prefix: undefined, target: undefined };
  const made = await host.init({ dir, env, ...none });
  if (!made.ok) throw new Stop(made.error);
  err(`Workspace made in ${made.value.workspace}`);
}

/** The `.convoy` directory; only after a workspace was made sure of. */
export function workspaceDir({ dir }: Pick<CommandContext, 'dir'>): string {
  const found = findWorkspace(dir);
  if (found.ok) return found.value.dir;
  throw new Stop({ kind: 'not_found', code: 'no_workspace', message: found.error.message });
}

export type Target = { readonly kind: 'path' | 'address'; readonly target: string };

/** A directory by its full path; what is none and looks like an address stays as it is. */
export function targetOf(word: string, cwd: string): Target {
  const path = resolve(cwd, word);
  if (existsSync(path)) return { kind: 'path', target: path };
  const isAddress = /^\w+:\/\//.test(word) || /^[\w.-]+@[\w.-]+:/.test(word);
  const isShort = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9_][\w.-]*$/.test(word);
  return isAddress || isShort ? { kind: 'address', target: word } : { kind: 'path', target: path };
}
