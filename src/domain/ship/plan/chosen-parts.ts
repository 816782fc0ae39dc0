import { err, ok, type Result } from '../../../lib/result.ts';
import type { Risk } from '../scan/lane.ts';
import type { PlanLane } from './plan.ts';

export type PartWish = {
  /** Names or directories of lanes; empty: all of them. */
  readonly parts: readonly string[];
  /** What the application is called on Fly.io; null: made of the project's name. */
  readonly flyApp: string | null;
};

export type PartRefusal =
  | { readonly kind: 'unknown-part'; readonly part: string; readonly lanes: readonly string[] }
  | { readonly kind: 'bad-app-name'; readonly name: string }
  | { readonly kind: 'no-fly-lane'; readonly platforms: readonly string[] }
  | { readonly kind: 'many-fly-lanes'; readonly lanes: readonly string[] };

type Chosen = { readonly lanes: readonly PlanLane[]; readonly risks: readonly Risk[] };

/** Narrows a plan down to the parts that were asked for, and names the application. */
export function chosenParts(found: Chosen, wish: PartWish): Result<Chosen, PartRefusal> {
  const narrowed = narrow(found, wish.parts);
  if (!narrowed.ok || wish.flyApp === null) return narrowed;
  const named = nameApp(narrowed.value.lanes, wish.flyApp);
  return named.ok ? ok({ ...narrowed.value, lanes: named.value }) : named;
}

const means = (part: string, { name, path }: PlanLane): boolean =>
  name === part || path === part.replace(/^\.\//, '').replace(/\/+$/, '');

function narrow({ lanes, risks }: Chosen, parts: readonly string[]): Result<Chosen, PartRefusal> {
  if (parts.length === 0) return ok({ lanes, risks });
  const unknown = parts.find((part) => !lanes.some((lane) => means(part, lane)));
  if (unknown !== undefined)
    return err({ kind: 'unknown-part', part: unknown, lanes: lanes.map(({ name }) => name) });
  const kept = lanes.filter((lane) => parts.some((part) => means(part, lane)));
  const names = new Set(kept.map(({ name }) => name));
  return ok({
    lanes: kept.map((lane) => ({
      ...lane,
      depends_on: lane.depends_on.filter((other) => names.has(other)),
    })),
    risks: risks.filter(({ lane }) => lane === null || names.has(lane)),
  });
}

// What Fly.io takes: lower-case letters, digits and dashes, a letter or digit at both ends.
const APP_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function nameApp(lanes: readonly PlanLane[], name: string): Result<PlanLane[], PartRefusal> {
  if (!APP_NAME.test(name)) return err({ kind: 'bad-app-name', name });
  const onFly = lanes.filter(({ platform }) => platform.chosen === 'fly');
  if (onFly.length === 0)
    return err({ kind: 'no-fly-lane', platforms: lanes.map(({ platform }) => platform.chosen) });
  if (onFly.length > 1)
    return err({ kind: 'many-fly-lanes', lanes: onFly.map((lane) => lane.name) });
  return ok(
    lanes.map((lane) =>
      lane.platform.chosen === 'fly'
        ? { ...lane, platform: { ...lane.platform, app: name } }
        : lane,
    ),
  );
}
