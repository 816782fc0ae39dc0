import type { RunOptionsJson } from '../contract/schemas/ship.ts';
import { type RunOptions, USUAL_OPTIONS } from '../domain/ship/run/run-options.ts';

/** What was asked before, changed by what is asked now. */
export function mergedOptions(
  before: RunOptions,
  asked: RunOptionsJson,
  demo: boolean,
): RunOptions {
  const { auto_approve, trust_repo, inject_failure, real_rehearsal, real_author } = asked;
  const { probe_paths, env, env_file, allow_drift, ai, auto_merge, fix } = asked;
  const now: { readonly [K in keyof RunOptions]?: RunOptions[K] | undefined } = {
    autoApprove: auto_approve,
    trustRepo: trust_repo,
    demo: asked.demo ?? demo,
    injectFailure: inject_failure,
    realRehearsal: real_rehearsal,
    realAuthor: real_author,
    probePaths: probe_paths,
    env: env && Object.keys(env).toSorted(),
    envFile: env_file,
    allowDrift: allow_drift,
    ai,
    autoMerge: auto_merge,
    fix,
  };
  const said = Object.fromEntries(Object.entries(now).filter(([, value]) => value !== undefined));
  return { ...USUAL_OPTIONS, ...before, ...said };
}
