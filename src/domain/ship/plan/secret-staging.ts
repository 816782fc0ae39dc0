import type { PlatformName, Risk } from '../scan/lane.ts';
import type { PlanLane, PlanStaging } from './plan.ts';

/** Values that only a platform gets to see; never in git, in the ledger or in a command line. */
export const SECRETS_FILE = '.env.convoy-secrets';

/** What a look at the file says without its values. */
export type SecretsSeen =
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'read'; readonly names: readonly string[] };

/** Platforms that this program can hand secrets to. */
const STAGES: ReadonlySet<PlatformName> = new Set(['local']);

/** Which secrets would be handed to which platform, by name. */
export function stagingOf(lanes: readonly PlanLane[], seen: SecretsSeen): PlanStaging {
  const names = new Set(seen.kind === 'read' ? seen.names : []);
  const ofLanes = lanes.filter(({ secrets }) => secrets.length > 0);
  return {
    file: SECRETS_FILE,
    state: seen.kind,
    reason: seen.kind === 'refused' ? seen.reason : null,
    lanes: ofLanes.map(({ name, secrets, platform }) => ({
      lane: name,
      platform: platform.chosen,
      staged: STAGES.has(platform.chosen) ? secrets.filter((each) => names.has(each)) : [],
      by_hand: STAGES.has(platform.chosen) ? [] : secrets,
      missing:
        STAGES.has(platform.chosen) && seen.kind !== 'refused'
          ? secrets.filter((each) => !names.has(each))
          : [],
    })),
  };
}

/** The lanes whose secrets a run hands over. */
export const stagedLanes = ({ lanes }: PlanStaging): PlanStaging['lanes'] =>
  lanes.filter(({ staged }) => staged.length > 0);

/** What a person should know about the secrets before saying yes. */
export function stagingRisks({ file, reason, lanes }: PlanStaging): readonly Risk[] {
  const risk = (level: Risk['level'], code: string, message: string, lane: string | null) => ({
    level,
    code,
    message,
    lane,
    files: lane === null ? [file] : [],
  });
  return [
    ...(reason === null ? [] : [risk('block', 'secrets-exposed', reason, null)]),
    ...lanes.flatMap(({ lane, platform, by_hand: byHand, missing }) => [
      ...(byHand.length === 0
        ? []
        : [
            risk(
              'note',
              'secrets-by-hand',
              `Convoy hands no secrets to ${platform}; set ${byHand.join(', ')} there yourself.`,
              lane,
            ),
          ]),
      ...(missing.length === 0
        ? []
        : [
            risk(
              'note',
              'secrets-missing',
              `${lane} reads ${missing.join(', ')}; put what it needs into ${file}.`,
              lane,
            ),
          ]),
    ]),
  ];
}
