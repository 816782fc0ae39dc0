import { readFileSync } from 'node:fs';
import type { Problem } from '../contract/problem.ts';
import type { Ledger } from '../ledger/open.ts';
import { tokenList } from '../ledger/queries/token-list.ts';
import { err, ok, type Result } from '../lib/result.ts';

/** What was said about being reached from elsewhere. */
export type BindWish = {
  readonly host: string | null;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly insecure: boolean;
};

/** An address beyond loopback, and how it is encrypted. */
export type Exposure = {
  readonly host: string;
  readonly tls: { readonly cert: string; readonly key: string } | null;
};

const EVERYWHERE = new Set(['0.0.0.0', '::', '[::]', '*']);

/** Nothing is reachable from elsewhere unless it is encrypted, or somebody said that it need not be. */
export function exposureOf(
  wish: BindWish | undefined,
  webUrl: string | null,
): Result<Exposure | null, Problem> {
  const host = wish?.host ?? null;
  if (wish === undefined || host === null || isLoopback(host)) return ok(null);
  if (EVERYWHERE.has(host) && webUrl === null)
    return err(
      invalid(
        'host_unnamed',
        `${host} is every address of this machine, but no name is set under which it is asked.`,
        'Set CONVOY_WEB_URL to the address people will use, for example https://convoy.example.',
      ),
    );
  const tls = tlsOf(wish);
  if (!tls.ok) return tls;
  if (tls.value === null && !wish.insecure)
    return err(
      invalid(
        'tls_needed',
        `${host} can be reached by others, and nothing would be encrypted.`,
        'Give --tls-cert and --tls-key, or --insecure if something in front of it encrypts.',
      ),
    );
  return ok({ host, tls: tls.value });
}

export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

/** The names under which an exposed address is asked, besides loopback's. */
export function namesOf(exposure: Exposure | null, webUrl: string | null): string[] {
  const web = webUrl === null ? [] : [new URL(webUrl).hostname];
  if (exposure === null || EVERYWHERE.has(exposure.host)) return web;
  const { host } = exposure;
  return [...web, host.includes(':') && !host.startsWith('[') ? `[${host}]` : host.toLowerCase()];
}

/** Beyond loopback the operator's own token must not be the only key there is to hand out. */
export async function withoutTokens(
  { db }: Pick<Ledger, 'db'>,
  exposure: Exposure | null,
  now: number,
): Promise<Problem | null> {
  if (exposure === null) return null;
  const tokens = await tokenList(db, { all: false, now });
  if (tokens.some(({ use }) => use === 'bearer')) return null;
  return invalid(
    'no_tokens',
    `${exposure.host} can be reached by others, and there is no token for them.`,
    'Make one first: convoy token create --role viewer --name <who>.',
  );
}

function tlsOf({ tlsCert, tlsKey }: BindWish): Result<Exposure['tls'], Problem> {
  if (tlsCert === null && tlsKey === null) return ok(null);
  if (tlsCert === null || tlsKey === null)
    return err(invalid('tls_half', 'A certificate and its key go together.', 'Give both.'));
  try {
    return ok({ cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return err(invalid('tls_unreadable', 'The certificate or its key cannot be read.', why));
  }
}

const invalid = (code: string, message: string, remedy: string): Problem => ({
  kind: 'invalid',
  code,
  message,
  remedy,
});
