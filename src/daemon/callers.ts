import { createHash } from 'node:crypto';
import type { Services } from '../api/context.ts';
import type { Caller } from '../api/guard.ts';
import { identifier } from '../api/identity/identify.ts';
import { limits } from '../api/identity/limits.ts';
import { type Exposure, namesOf } from './exposure.ts';
import { localOperator } from './local-operator.ts';
import { refusedLog } from './refused-log.ts';
import type { Variables } from './services.ts';
import { operatorToken } from './token.ts';

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Who may ask the daemon of a workspace, and how it finds out. */
export function callersOf(
  services: Services,
  env: Variables,
  at: { exposure: Exposure | null; webUrl: string | null },
): Caller {
  const { workspace, ledger, instance } = services;
  const now = (): number => services.now();
  const { exposure, webUrl } = at;
  const cookie = cookieName(workspace.dir);
  const web = webUrl === null ? null : new URL(webUrl);
  return {
    instance,
    identify: identifier({
      db: ledger.db,
      now,
      operator: { token: operatorToken(workspace.dir), identity: localOperator(env, 'bearer') },
      cookie,
    }),
    network: {
      hosts: new Set([...LOOPBACK_NAMES, ...namesOf(exposure, webUrl)]),
      origins: new Set(web === null ? [] : [web.origin]),
      cookie: {
        name: cookie,
        // Loopback is never encrypted, and a browser would not send a Secure cookie there.
        secure: (host) =>
          !LOOPBACK_NAMES.includes(host.replace(/:\d+$/, '')) &&
          (exposure?.tls != null || web?.protocol === 'https:'),
      },
      limits: limits(now),
      refused: refusedLog(workspace.dir, now),
    },
  };
}

/** Cookies do not tell ports apart, so two workspaces on one machine need names of their own. */
const cookieName = (dir: string): string =>
  `convoy_${createHash('sha256').update(dir).digest('hex').slice(0, 10)}`;
