import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunOptionsJson } from '../../contract/schemas/ship.ts';
import { Stop } from '../stop.ts';

type Given = {
  readonly yes: boolean;
  readonly autoApprove: boolean;
  readonly env: readonly string[];
  readonly envFile: string | undefined;
  readonly probePath: readonly string[];
  readonly trustRepo: boolean;
  readonly realRehearsal: boolean | undefined;
  readonly realAuthor: boolean | undefined;
  readonly allowDrift?: boolean;
  readonly demo?: boolean;
  readonly injectFailure?: RunOptionsJson['inject_failure'];
};

/** What was said on the command line; what was not said is left to the run's earlier options. */
export function runOptionsOf(given: Given, cwd: string): RunOptionsJson {
  const file = envFileOf(given.envFile, cwd);
  return {
    ...(given.yes || given.autoApprove ? { auto_approve: true } : {}),
    ...(given.trustRepo ? { trust_repo: true } : {}),
    ...(given.demo === true ? { demo: true } : {}),
    ...(given.injectFailure === undefined ? {} : { inject_failure: given.injectFailure }),
    ...(given.realRehearsal === undefined ? {} : { real_rehearsal: given.realRehearsal }),
    ...(given.realAuthor === undefined ? {} : { real_author: given.realAuthor }),
    ...(given.probePath.length === 0 ? {} : { probe_paths: [...given.probePath] }),
    ...(given.env.length === 0 ? {} : { env: variablesOf(given.env) }),
    ...(file === null ? {} : { env_file: file }),
    ...(given.allowDrift === true ? { allow_drift: true } : {}),
  };
}

/** `KEY=VALUE` words as variables. */
export function variablesOf(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(word);
      if (match === null)
        throw new Stop({
          kind: 'invalid',
          code: 'bad_variable',
          // What stands there may be a secret that lost its name.
          message: 'A variable given with --env is not KEY=VALUE.',
          remedy: 'Write --env NAME=value, once for each variable.',
        });
      return [match[1] ?? '', match[2] ?? ''];
    }),
  );
}

export function envFileOf(file: string | undefined, cwd: string): string | null {
  if (file === undefined) return null;
  const path = resolve(cwd, file);
  if (existsSync(path)) return path;
  throw new Stop({ kind: 'not_found', code: 'no_env_file', message: `There is no file ${path}.` });
}
