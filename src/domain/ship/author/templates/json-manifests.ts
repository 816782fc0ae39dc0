import { isStatic, portOf, variableNames } from '../lane.ts';
import type { LaneLayout } from '../layout.ts';
import { climbTo, relativeTo } from '../paths.ts';
import { nodeInstall } from '../recipes/node.ts';
import type { HasFile } from '../recipes/recipe.ts';
import { startCommand } from './command-line.ts';
import { imageFile } from './image-file.ts';

/** A Railway service built from the image; JSON has no place for a remark. */
export function railwayManifest(layout: LaneLayout): string {
  const { lane } = layout;
  return json({
    $schema: 'https://railway.com/railway.schema.json',
    build: {
      builder: 'DOCKERFILE',
      dockerfilePath: relativeTo(layout.context, imageFile(layout)),
    },
    deploy: {
      ...(lane.healthPath === null || portOf(lane) === null
        ? {}
        : { healthcheckPath: lane.healthPath, healthcheckTimeout: 60 }),
      restartPolicyType: 'ON_FAILURE',
      restartPolicyMaxRetries: 5,
    },
  });
}

/** Names under which Vercel knows how to build a framework; without one it takes the commands. */
const VERCEL_FRAMEWORKS: Readonly<Record<string, string>> = {
  next: 'nextjs',
  vite: 'vite',
  remix: 'remix',
  'react-router': 'react-router',
  astro: 'astro',
  sveltekit: 'sveltekit-1',
  nuxt: 'nuxtjs',
  'create-react-app': 'create-react-app',
};

/** A Vercel project, which builds the source itself and needs no image. */
export function vercelManifest(layout: LaneLayout, has: HasFile): string {
  const { lane } = layout;
  const installPath = lane.installPath ?? lane.path;
  const install = lane.ecosystem === 'node' ? nodeInstall(lane, has) : lane.install;
  const up = climbTo(lane.path, installPath);
  const output = lane.staticDir ?? null;
  return json({
    $schema: 'https://openapi.vercel.sh/vercel.json',
    framework: VERCEL_FRAMEWORKS[lane.framework ?? ''] ?? null,
    ...(install === null
      ? {}
      : { installCommand: up === '.' ? install : `cd ${up} && ${install}` }),
    ...(lane.build === null ? {} : { buildCommand: lane.build }),
    ...(isStatic(lane) && output !== null ? { outputDirectory: output } : {}),
    git: { deploymentEnabled: false },
  });
}

/** What Convoy's own platform starts on this machine. */
export function localManifest(layout: LaneLayout): string {
  const { lane, app } = layout;
  return json({
    schema: 'convoy.local.v1',
    app,
    kind: lane.kind,
    install: lane.install,
    install_path: climbTo(lane.path, lane.installPath ?? lane.path),
    build: lane.build,
    start: lane.start,
    static_dir: lane.staticDir ?? null,
    port: portOf(lane),
    port_binding: lane.portBinding ?? null,
    listens_with: startCommand(lane),
    health_path: portOf(lane) === null ? null : lane.healthPath,
    replicas: lane.kind === 'worker' ? 1 : 2,
    datastores: lane.datastores,
    secrets: variableNames(lane.secrets),
  });
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
