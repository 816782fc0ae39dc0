import type { Lane } from './lane.ts';

/** A lane under the names of the contract; `platform` is added once one was picked. */
export function laneJson(lane: Lane) {
  return {
    name: lane.name,
    kind: lane.kind,
    path: lane.path,
    depends_on: lane.dependsOn,
    ecosystem: lane.ecosystem,
    framework: lane.framework,
    package_manager: lane.packageManager,
    install: lane.install,
    install_path: lane.installPath,
    build: lane.build,
    build_via: lane.buildVia,
    start: lane.start,
    start_via: lane.startVia,
    start_env: lane.startEnv,
    hooks: lane.hooks,
    migrate: lane.migrate,
    static_dir: lane.staticDir,
    schedule: lane.schedule,
    port: lane.port,
    port_binding: lane.portBinding,
    health_path: lane.healthPath,
    datastores: lane.datastores,
    secrets: lane.secrets,
    settings: lane.settings,
    dockerfile: lane.dockerfile,
    evidence: lane.evidence,
  };
}
