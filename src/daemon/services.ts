import { launchHere } from '../adapters/git/launch-here.ts';
import { startsElsewhere } from '../adapters/processes/starter.ts';
import { randomInt } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { thisMachine } from '../adapters/machine/machine.ts';
import type { Services } from '../api/context.ts';
import type { Environment } from '../config/environment.ts';
import { openSettings } from '../config/store.ts';
import type { Workspace } from '../config/workspace.ts';
import { openLedger } from '../ledger/open.ts';
import type { Drafter } from '../ports/drafter.ts';
import type { Ids } from '../ports/ids.ts';
import type { SettingsStore } from '../ports/settings.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Repository } from '../ports/repository.ts';
import { lazily } from './lazily.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Everything the API needs, on this machine, for one workspace. */
export async function openServices(
  workspace: Workspace,
  env: Variables,
  settings: Environment,
  self: Pick<Services, 'version' | 'instance' | 'engine' | 'dashboard'>,
): Promise<Services> {
  const ledger = await openLedger(ledgerPlace(workspace, settings), Date.now);
  const config = openSettings(join(workspace.dir, 'config.toml'), env);
  return {
    webhooks: null,
    ...self,
    ledger,
    settings: config,
    ids: randomIds,
    machine: thisMachine(env),
    executor: async () => {
      const { localExecutor } = await import('../adapters/executor/local.ts');
      return localExecutor({ directory: join(workspace.dir, 'logs'), node: process.execPath });
    },
    drafter: () => modelDrafter(config, env),
    repositories: repositoriesIn(join(cacheDir(env), 'repos'), env),
    ship: lazily(async () =>
      (await import('./ship.ts')).shipServices(workspace, env, settings, config),
    ),
    workspace,
    now: Date.now,
  };
}

async function modelDrafter(config: SettingsStore, env: Variables): Promise<Drafter | null> {
  const model = await (await import('./model.ts')).modelOf(env, config);
  if (model === null) return null;
  const { draftWithModel } = await import('../adapters/draft/model-draft.ts');
  return { draft: (text, name) => draftWithModel(model, text, name) };
}

export function ledgerPlace(workspace: Workspace, { ledger }: Environment): string {
  if (ledger === null) return join(workspace.dir, 'ledger.db');
  return ledger.kind === 'sqlite' ? ledger.path : ledger.url;
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

const randomIds: Ids = {
  base36: (length) => Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
};

export const cacheDir = (env: Variables): string =>
  join(env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache'), 'convoy');

/** Opens each repository once; what git is asked is never remembered. */
function repositoriesIn(cache: string, env: Variables): Repositories {
  const known = new Map<string, Repository>();
  const launch = startsElsewhere(process.execPath, launchHere);
  return {
    async open(path) {
      const before = known.get(path);
      if (before !== undefined) return { ok: true, value: before };
      const { openRepository } = await import('../adapters/git/open.ts');
      const opened = await openRepository({ path, cacheDir: cache, env, launch });
      if (opened.ok) known.set(path, opened.value);
      return opened;
    },
  };
}
