import { composeServices } from './compose.ts';
import { cite, citeFile } from './evidence.ts';
import type { Evidence, Lane, LaneKind } from './lane.ts';
import { openProject } from './project.ts';
import type { Snapshot } from './snapshot.ts';

const ORDER: readonly LaneKind[] = ['infra', 'backend', 'worker', 'frontend'];

/** Puts lanes in the order they are shipped and links each to those it needs. */
export function linked(snapshot: Snapshot, lanes: readonly Lane[]): readonly Lane[] {
  const ordered = lanes.toSorted(
    (a, b) =>
      ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) ||
      (a.path < b.path ? -1 : a.path > b.path ? 1 : a.name < b.name ? -1 : 1),
  );
  const infra = ordered.filter(({ kind }) => kind === 'infra');
  const backends = ordered.filter(({ kind }) => kind === 'backend');
  return ordered.map((lane) => {
    if (lane.kind === 'infra') return lane;
    const needed = lane.kind === 'frontend' ? frontendNeeds(snapshot, lane, backends) : [];
    const ground = infra.map((one): readonly [string, Evidence] => [
      one.name,
      { ...citeFile('depends_on', one.name, one.evidence[0]?.file ?? '.', 'infrastructure-first') },
    ]);
    const composed = composeNeeds(snapshot, lane, ordered);
    const all = new Map([...ground, ...needed, ...composed].filter(([name]) => name !== lane.name));
    return { ...lane, dependsOn: [...all.keys()], evidence: [...lane.evidence, ...all.values()] };
  });
}

function frontendNeeds(
  snapshot: Snapshot,
  lane: Lane,
  backends: readonly Lane[],
): readonly (readonly [string, Evidence])[] {
  const project = openProject(snapshot, lane.path);
  const sources = project
    .sources(['.ts', '.js', '.mjs', '.tsx', '.jsx', '.vue', '.svelte'])
    .filter(({ text }) => /localhost:\d+|API_URL|API_BASE|BACKEND_URL|proxy|rewrites/.test(text));
  const proxied = backends.flatMap((backend) => {
    if (backend.port === null) return [];
    const source = sources.find(
      ({ text }) =>
        text.includes(`localhost:${backend.port}`) || text.includes(`127.0.0.1:${backend.port}`),
    );
    return source === undefined
      ? []
      : [
          [
            backend.name,
            cite('depends_on', backend.name, source, `:${backend.port}`, 'proxy-target'),
          ] as const,
        ];
  });
  if (proxied.length > 0) return proxied;
  const asks = sources.find(({ text }) => /API_URL|API_BASE|BACKEND_URL/.test(text));
  return backends.map((backend) => [
    backend.name,
    asks === undefined
      ? citeFile('depends_on', backend.name, backend.evidence[0]?.file ?? '.', 'same-repository')
      : cite('depends_on', backend.name, asks, /API_URL|API_BASE|BACKEND_URL/, 'api-address'),
  ]);
}

/** A compose file that starts one lane after another means it, unless it would turn the order round. */
function composeNeeds(
  snapshot: Snapshot,
  lane: Lane,
  lanes: readonly Lane[],
): readonly (readonly [string, Evidence])[] {
  const services = composeServices(snapshot);
  const own = services.filter(
    ({ context, name }) => (context === lane.path && lane.kind !== 'worker') || name === lane.name,
  );
  return own.flatMap((service) =>
    service.dependsOn.flatMap((name) => {
      const target = services.find((other) => other.name === name);
      const needed = lanes.find(
        (one) =>
          one.name === name ||
          (target?.context != null && one.path === target.context && one.kind !== 'worker'),
      );
      if (
        needed === undefined ||
        needed.name === lane.name ||
        ORDER.indexOf(needed.kind) >= ORDER.indexOf(lane.kind)
      )
        return [];
      return [
        [
          needed.name,
          cite('depends_on', needed.name, service.source, 'depends_on', 'compose-depends-on'),
        ] as const,
      ];
    }),
  );
}
