import type { PlanLane } from '../plan/plan.ts';

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
  output: lane.static_dir,
  port: lane.port,
  healthPath: lane.health_path,
  datastores: lane.datastores,
});
