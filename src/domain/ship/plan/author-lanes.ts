import type { AuthorLane } from '../author/lane.ts';
import type { PlanLane } from './plan.ts';

/** Lanes as the author wants them: told from the top of the repository the tree stands in. */
export function authorLanes(lanes: readonly PlanLane[], prefix: string): readonly AuthorLane[] {
  return lanes.map((lane) => ({
    name: lane.name,
    kind: lane.kind,
    path: below(prefix, lane.path),
    ecosystem: lane.ecosystem,
    framework: lane.framework,
    packageManager: lane.package_manager,
    install: lane.install,
    build: lane.build,
    start: lane.start,
    port: lane.port,
    healthPath: lane.health_path,
    datastores: lane.datastores,
    secrets: lane.secrets,
    platform: lane.platform.chosen,
    installPath: below(prefix, lane.install_path),
    startEnv: lane.start_env,
    staticDir: lane.static_dir,
    portBinding: lane.port_binding,
    settings: lane.settings,
    ...(lane.platform.app === undefined ? {} : { app: lane.platform.app }),
    dockerfile: lane.dockerfile === null ? null : below(prefix, lane.dockerfile),
  }));
}

function below(prefix: string, path: string): string {
  if (prefix === '.') return path;
  return path === '.' ? prefix : `${prefix}/${path}`;
}
