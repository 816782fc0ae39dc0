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
  readonly autoMerge: boolean | undefined;
  readonly fix: 'agent' | undefined;
  readonly flyApp: string | undefined;
  readonly ai: boolean | undefined;
  readonly allowDrift?: boolean;
  readonly demo?: boolean;
  readonly injectFailure?: RunOptionsJson['inject_failure'] | 'canary' | 'promote' | 'observe';
};

/** What was said on the command line; what was not said is left to the run's earlier options. */
export function runOptionsOf(given: Given, cwd: string): RunOptionsJson {
  const said: { readonly [K in keyof RunOptionsJson]: RunOptionsJson[K] | undefined } = {
    auto_approve: given.yes || given.autoApprove || undefined,
    trust_repo: given.trustRepo || undefined,
    demo: given.demo === true || undefined,
    inject_failure: injected(given),
    real_rehearsal: given.realRehearsal,
    real_author: given.realAuthor,
    probe_paths: given.probePath.length === 0 ? undefined : [...given.probePath],
    env: given.env.length === 0 ? undefined : variablesOf(given.env),
    env_file: envFileOf(given.envFile, cwd) ?? undefined,
    allow_drift: given.allowDrift === true || undefined,
    auto_merge: given.autoMerge,
    fix: given.fix,
    fly_app: given.flyApp,
    ai: given.ai,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

/** Stages that come after the branch are not carried out by this version. */
function injected({ injectFailure }: Given): RunOptionsJson['inject_failure'] {
  if (injectFailure === 'canary' || injectFailure === 'promote' || injectFailure === 'observe')
    throw new Stop({
      kind: 'invalid',
      code: 'no_such_stage',
      message: `No plan has a stage ${injectFailure} yet, so it cannot fail there.`,
      remedy: 'Use --inject-failure rehearse or --inject-failure author.',
    });
  return injectFailure;
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
