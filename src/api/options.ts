import type { Problem } from '../contract/problem.ts';
import type { ConvoyOptionsJson } from '../contract/schemas/convoy.ts';
import type { Budget, ConvoyOptions } from '../domain/convoy/convoy.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Settings } from '../ports/settings.ts';
import type { Services } from './context.ts';
import { settingsOf } from './repos.ts';

/** Like optionsOf, for callers that need nothing else of the configuration. */
export function optionsFor(
  services: Services,
  json: ConvoyOptionsJson,
): Result<Partial<ConvoyOptions>, Problem> {
  const settings = settingsOf(services);
  return settings.ok ? optionsOf(json, settings.value) : settings;
}

/** The options that were said, in the core's words; names that do not exist are refused. */
export function optionsOf(
  json: ConvoyOptionsJson,
  settings: Settings,
): Result<Partial<ConvoyOptions>, Problem> {
  const known = Object.keys(settings.notify);
  const stranger = json.notify?.find((name) => !known.includes(name));
  if (stranger !== undefined)
    return err({
      kind: 'invalid',
      code: 'notify_unknown',
      message: `There is no [notify.${stranger}] in config.toml.`,
      remedy: known.length === 0 ? 'Add one first.' : `There is ${known.join(', ')}.`,
    });
  const repo = Object.keys(json.base_branches ?? {}).find(
    (name) => settings.repos[name] === undefined,
  );
  if (repo !== undefined)
    return err({
      kind: 'not_found',
      code: 'repo_not_found',
      message: `There is no repo ${repo} in this workspace.`,
      remedy: `There is ${Object.keys(settings.repos).join(', ')}.`,
    });
  const said = {
    owner: json.owner,
    notify: json.notify,
    mergeMode: json.merge_mode,
    baseBranches: json.base_branches,
    maxParallel: json.max_parallel,
    budget: json.budget === undefined ? undefined : budgetOf(json.budget),
    review: json.review,
    failurePolicy: json.failure_policy,
    autoShip: json.auto_ship,
    labels: json.labels,
    owned: json.owned,
  };
  return ok(Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)));
}

const budgetOf = (budget: NonNullable<ConvoyOptionsJson['budget']>): Budget =>
  Object.fromEntries(Object.entries(budget).filter(([, value]) => value !== undefined));
