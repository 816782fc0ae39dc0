import type { Lane, PlatformConfig, PlatformName, Risk } from '../scan/lane.ts';
import { configsFor } from '../scan/platform-configs.ts';
import { argumentsFor, PLATFORMS } from './fitness.ts';

/** The platform of one lane, why, and how the others did; `platform` of the plan. */
export interface Choice {
  readonly chosen: PlatformName;
  readonly reason: string;
  /** 0 to 100; 0 means that the platform cannot run the lane. */
  readonly scores: Readonly<Record<PlatformName, number>>;
  readonly reasons: Readonly<Record<PlatformName, readonly string[]>>;
  readonly decidedBy: 'override' | 'existing-config' | 'preference' | 'score';
  readonly risks: readonly Risk[];
}

export interface PickOptions {
  readonly configs: readonly PlatformConfig[];
  /** `--platform`: wins over everything. */
  readonly override?: PlatformName;
  /** `[ship] platform` when somebody set it: wins over scores, not over a platform's own file. */
  readonly preference?: PlatformName;
}

/** Chooses where a lane runs: what is asked for, else what is configured, else what fits best. */
export function pick(lane: Lane, options: PickOptions): Choice {
  const fit = new Map(PLATFORMS.map((platform) => [platform, fitOf(platform, lane)]));
  const own = configsFor(options.configs, lane.path);
  const decision = decide(lane, options, own, fit);
  return {
    ...decision,
    scores: table((platform) => fit.get(platform)?.score ?? 0),
    reasons: table((platform) => fit.get(platform)?.reasons ?? []),
    risks: risksOf(lane, decision.chosen, own, fit),
  };
}

interface Fit {
  readonly score: number;
  readonly reasons: readonly string[];
}

function fitOf(platform: PlatformName, lane: Lane): Fit {
  const found = argumentsFor(platform, lane);
  if (found === null) return { score: 0, reasons: [`cannot run a lane of kind ${lane.kind}`] };
  const sum = found.reduce((total, { points }) => total + points, 0);
  return { score: Math.max(1, Math.min(100, sum)), reasons: found.map(({ because }) => because) };
}

// The order of the list breaks ties, so that the same evidence always gives the same answer.
function bestOf(fit: ReadonlyMap<PlatformName, Fit>): PlatformName {
  return PLATFORMS.reduce((best, platform) =>
    scoreIn(fit, platform) > scoreIn(fit, best) ? platform : best,
  );
}

function decide(
  lane: Lane,
  { override, preference }: PickOptions,
  own: readonly PlatformConfig[],
  fit: ReadonlyMap<PlatformName, Fit>,
): Pick<Choice, 'chosen' | 'reason' | 'decidedBy'> {
  if (override !== undefined)
    return { chosen: override, reason: `${override} was asked for.`, decidedBy: 'override' };
  const config = bestConfigured(own, fit);
  if (config !== undefined)
    return {
      chosen: config.platform,
      reason: `${config.file} configures ${config.product}.`,
      decidedBy: 'existing-config',
    };
  if (preference !== undefined && scoreIn(fit, preference) > 0)
    return {
      chosen: preference,
      reason: `${preference} is set in config.toml.`,
      decidedBy: 'preference',
    };
  const best = bestOf(fit);
  const why = fit.get(best)?.reasons.join(', ') ?? '';
  const reason = `${best} fits ${lane.name} best (${scoreIn(fit, best)}): it ${why}.`;
  return { chosen: best, reason, decidedBy: 'score' };
}

function bestConfigured(
  own: readonly PlatformConfig[],
  fit: ReadonlyMap<PlatformName, Fit>,
):
  | { readonly platform: PlatformName; readonly file: string; readonly product: string }
  | undefined {
  const usable = own.flatMap(({ platform, file, product }) =>
    platform === 'other' || scoreIn(fit, platform) === 0 ? [] : [{ platform, file, product }],
  );
  return usable.toSorted((a, b) => scoreIn(fit, b.platform) - scoreIn(fit, a.platform))[0];
}

const scoreIn = (fit: ReadonlyMap<PlatformName, Fit>, platform: PlatformName): number =>
  fit.get(platform)?.score ?? 0;

function risksOf(
  lane: Lane,
  chosen: PlatformName,
  own: readonly PlatformConfig[],
  fit: ReadonlyMap<PlatformName, Fit>,
): readonly Risk[] {
  const risks: Risk[] = [];
  const files = own.map(({ file }) => file);
  const products = [...new Set(own.map(({ product }) => product))];
  if (products.length > 1)
    risks.push({
      level: 'warn',
      code: 'platform-conflict',
      message: `${products.join(' and ')} are both configured for ${lane.name}; ${chosen} was chosen.`,
      lane: lane.name,
      files,
    });
  if (own.length > 0 && !own.some(({ platform }) => platform === chosen))
    risks.push({
      level: 'note',
      code: 'config-unused',
      message: `${files.join(', ')} configures another platform than ${chosen}.`,
      lane: lane.name,
      files,
    });
  if (fit.get(chosen)?.score === 0)
    risks.push({
      level: 'block',
      code: 'platform-cannot',
      message: `${chosen} ${fit.get(chosen)?.reasons.join(', ') ?? 'cannot run it'}.`,
      lane: lane.name,
      files: [],
    });
  return risks;
}

function table<T>(of: (platform: PlatformName) => T): Readonly<Record<PlatformName, T>> {
  return {
    fly: of('fly'),
    railway: of('railway'),
    vercel: of('vercel'),
    cloudrun: of('cloudrun'),
    local: of('local'),
  };
}
