import type { PlanFile, PlanLane } from '../plan/plan.ts';
import { changed } from '../plan/steps.ts';

/** The variable by which the example service is told to misbehave. */
export const FAULT_VARIABLE = 'CONVOY_EXAMPLE_FAULT';

/** A planned lane in the words of the rehearsal. */
export const rehearsalLane = (lane: PlanLane) => ({
  name: lane.name,
  path: lane.path,
  kind: lane.kind,
  ecosystem: lane.ecosystem,
  install: lane.install,
  build: lane.build,
  start: lane.start,
  buildVia: lane.build_via,
  startVia: lane.start_via,
  startEnv: lane.start_env,
  portBinding: lane.port_binding,
  migrate: lane.migrate ?? null,
  output: lane.static_dir,
  port: lane.port,
  healthPath: lane.health_path,
  datastores: lane.datastores,
});

/** The files that the author would write, as the tree below a prefix of the repository sees them. */
export function overlayOf(
  files: readonly PlanFile[],
  prefix: string,
): readonly { readonly path: string; readonly content: string }[] {
  const above = prefix === '.' ? '' : `${prefix}/`;
  return changed(files)
    .filter(({ path }) => path.startsWith(above))
    .map(({ path, content }) => ({ path: path.slice(above.length), content }));
}
