import { listRepos } from '../../contract/routes/repos.ts';
import type { OptionsOf, Shape } from '../command.ts';
import type { CONVOY_FIELDS } from '../commands/convoy-options.ts';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';
import { some } from './task-fields.ts';

type ConvoyFields = OptionsOf<Shape & { options: typeof CONVOY_FIELDS }>;

/** The named options of a convoy as the API wants them; what was not named is undefined. */
export async function convoyFields(options: ConvoyFields, call: CommandContext['call']) {
  return {
    owner: options.owner,
    notify: some(options.notify),
    merge_mode: options.mergeMode,
    base_branches: await baseBranches(options.baseBranch, call),
    max_parallel: options.maxParallel,
    budget: budgetFrom(options.budget),
    review: options.review,
    failure_policy: options.failurePolicy,
    auto_ship: options.autoShip,
    labels: some(options.label),
    owned: options.owned,
  };
}

async function baseBranches(
  pairs: readonly string[],
  call: CommandContext['call'],
): Promise<Record<string, string> | undefined> {
  if (pairs.length === 0) return undefined;
  const found: Record<string, string> = {};
  for (const pair of pairs) {
    const [repo, branch] = split(pair);
    found[branch === undefined ? await onlyRepo(pair, call) : repo] = branch ?? repo;
  }
  return found;
}

async function onlyRepo(branch: string, call: CommandContext['call']): Promise<string> {
  const { repos } = await call(listRepos, {});
  const [only, another] = repos;
  if (only !== undefined && another === undefined) return only.name;
  throw usage(
    `--base-branch ${branch} does not say for which repository`,
    `Write REPO=${branch} with one of: ${repos.map(({ name }) => name).join(', ')}`,
  );
}

const LIMITS = ['usd', 'tokens', 'minutes', 'attempts'] as const;
type Limit = (typeof LIMITS)[number];

function budgetFrom(limits: readonly string[]): Partial<Record<Limit, number>> | undefined {
  if (limits.length === 0) return undefined;
  const parts = limits.flatMap((text) => text.split(','));
  return Object.fromEntries(
    parts.map((part) => {
      const [first, second] = split(part);
      const [name, amount] = second === undefined ? ['usd', first] : [first, second];
      const valid = LIMITS.some((limit) => limit === name) && /^\d+(\.\d+)?$/.test(amount);
      if (!valid) {
        throw usage(
          `--budget ${part} is no limit`,
          `Write one of ${LIMITS.join(', ')}, as in usd=5`,
        );
      }
      return [name, Number(amount)];
    }),
  );
}

/** Text before the first `=` and text after it, which is undefined without one. */
export function split(pair: string): [string, string | undefined] {
  const at = pair.indexOf('=');
  return at === -1 ? [pair, undefined] : [pair.slice(0, at), pair.slice(at + 1)];
}

export const usage = (message: string, remedy: string): Stop =>
  new Stop({ kind: 'invalid', code: 'invalid_argument', message, remedy });
