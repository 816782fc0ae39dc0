const USUAL_HEALTH = ['/health', '/healthz', '/api/health', '/'];
const MOST_LOADED = 8;

/** The answer of one path before the load. */
export type ProbeResult = {
  readonly path: string;
  /** Null when no HTTP answer came. */
  readonly status: number | null;
  readonly ms: number;
};

/** The paths to ask for a sign of health, the lane's own first. */
export function healthCandidates(
  healthPath: string | null,
  probePaths: readonly string[],
): string[] {
  return unique([...(healthPath === null ? [] : [healthPath]), ...probePaths, ...USUAL_HEALTH]);
}

/**
 * The one health path that everything after the rehearsal uses.
 *
 * The lane's own path counts also when it answers with an error: the lane says that this is where
 * its health is told, so a friendly answer elsewhere must not hide it. Where the lane names none, the
 * same holds for a 503 at one of the usual places.
 */
export function chosenHealth(
  healthPath: string | null,
  results: readonly ProbeResult[],
): { readonly path: string; readonly status: number } | null {
  const own = results.find(({ path }) => path === withSlash(healthPath ?? ''));
  if (healthPath !== null && own?.status != null && (isWell(own.status) || own.status >= 500))
    return { path: own.path, status: own.status };
  const unwell = results.find(({ path, status }) => status === 503 && USUAL_HEALTH.includes(path));
  if (unwell?.status != null && healthPath === null)
    return { path: unwell.path, status: unwell.status };
  const well = results.find(({ status }) => status !== null && isWell(status));
  return well?.status == null ? null : { path: well.path, status: well.status };
}

/** The paths to put under load: those that were asked for, otherwise the health path. */
export function loadPaths(probePaths: readonly string[], health: string | null): string[] {
  const wanted = probePaths.length > 0 ? probePaths : [health ?? '/'];
  return unique(wanted).slice(0, MOST_LOADED);
}

const isWell = (status: number): boolean => status >= 200 && status < 400;

const unique = (paths: readonly string[]): string[] => [...new Set(paths.map(withSlash))];

const withSlash = (path: string): string => (path.startsWith('/') ? path : `/${path}`);
