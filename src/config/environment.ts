import { err, ok, type Result } from '../lib/result.ts';
import type { SettingsProblem } from '../ports/settings.ts';

/** The environment as the program uses it; null means not set. */
export type Environment = {
  readonly dir: string | null;
  readonly ledger: LedgerPlace | null;
  readonly plansDir: string | null;
  readonly port: number;
  /** The base of the addresses that are printed for people. */
  readonly webUrl: string | null;
  /** When set, the program acts as this token and nothing more. */
  readonly token: string | null;
  /** The daemon to talk to; null: the workspace's own. */
  readonly url: string | null;
  readonly anthropic: { readonly apiKey: string | null; readonly baseUrl: string | null };
  readonly openai: { readonly apiKey: string | null; readonly baseUrl: string | null };
  readonly github: { readonly token: string | null; readonly apiUrl: string | null };
  readonly noColor: boolean;
};

export type LedgerPlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

export const DEFAULT_PORT = 3737;

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads every variable the program knows; a wrong one is an error, never a silent default. */
export function environment(env: Variables): Result<Environment, SettingsProblem> {
  const problem = badPort(env) ?? badUrls(env) ?? twoLedgers(env);
  if (problem !== null) return err(problem);
  return ok({
    dir: given(env, 'CONVOY_DIR'),
    ledger: ledgerPlace(env),
    plansDir: given(env, 'CONVOY_PLANS_DIR'),
    port: Number(given(env, 'CONVOY_PORT') ?? DEFAULT_PORT),
    webUrl: baseUrl(env, 'CONVOY_WEB_URL'),
    token: given(env, 'CONVOY_TOKEN'),
    url: baseUrl(env, 'CONVOY_URL'),
    anthropic: {
      apiKey: given(env, 'ANTHROPIC_API_KEY'),
      baseUrl: baseUrl(env, 'ANTHROPIC_BASE_URL'),
    },
    openai: { apiKey: given(env, 'OPENAI_API_KEY'), baseUrl: baseUrl(env, 'OPENAI_BASE_URL') },
    github: { token: given(env, 'GITHUB_TOKEN'), apiUrl: baseUrl(env, 'GITHUB_API_URL') },
    noColor: given(env, 'NO_COLOR') !== null,
  });
}

/** The variable's text; an empty one counts as not set. */
export function given(env: Variables, name: string): string | null {
  const value = env[name];
  return value === undefined || value.trim() === '' ? null : value;
}

function badPort(env: Variables): SettingsProblem | null {
  const written = given(env, 'CONVOY_PORT');
  if (written === null || (/^\d{1,5}$/.test(written) && Number(written) <= 65_535)) return null;
  return invalid(
    'CONVOY_PORT',
    `expected a port from 0 to 65535 (0: any free one), found "${written}"`,
  );
}

const URLS = [
  'CONVOY_WEB_URL',
  'CONVOY_URL',
  'ANTHROPIC_BASE_URL',
  'OPENAI_BASE_URL',
  'GITHUB_API_URL',
] as const;

function badUrls(env: Variables): SettingsProblem | null {
  const wrong = URLS.find((name) => {
    const written = given(env, name);
    return written !== null && !(URL.canParse(written) && /^https?:/i.test(written));
  });
  return wrong === undefined
    ? null
    : invalid(wrong, `expected an http:// or https:// address, found "${env[wrong] ?? ''}"`);
}

function twoLedgers(env: Variables): SettingsProblem | null {
  const ledger = given(env, 'CONVOY_LEDGER');
  const alias = given(env, 'CONVOY_STATE_PATH');
  if (ledger === null || alias === null || ledger === alias) return null;
  return invalid(
    'CONVOY_STATE_PATH',
    'names another ledger than CONVOY_LEDGER; set only one of them',
  );
}

function ledgerPlace(env: Variables): LedgerPlace | null {
  const written = given(env, 'CONVOY_LEDGER') ?? given(env, 'CONVOY_STATE_PATH');
  if (written === null) return null;
  return /^postgres(?:ql)?:\/\//.test(written)
    ? { kind: 'postgres', url: written }
    : { kind: 'sqlite', path: written };
}

/** A base never ends with a slash, so that paths can be put after it. */
function baseUrl(env: Variables, name: string): string | null {
  const written = given(env, name);
  return written?.replace(/\/+$/, '') ?? null;
}

const invalid = (name: string, message: string): SettingsProblem => ({
  code: 'environment_invalid',
  message: `${name}: ${message}`,
  key: name,
  remedy: `Correct or unset ${name}.`,
});
