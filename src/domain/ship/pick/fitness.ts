import { unreachable } from '../../../lib/unreachable.ts';
import type { Lane, PlatformName } from '../scan/lane.ts';

/** One argument for or against a platform. */
export interface Argument {
  readonly points: number;
  readonly because: string;
}

export const PLATFORMS: readonly PlatformName[] = ['fly', 'railway', 'vercel', 'cloudrun', 'local'];

const PAGES = [
  'nuxt',
  'sveltekit',
  'astro',
  'remix',
  'react-router',
  'vite',
  'gatsby',
  'create-react-app',
  'angular',
  'docusaurus',
];
const MANAGED = ['postgres', 'mysql', 'redis', 'mongodb'];

/** What the evidence about a lane says for and against each platform; null where it cannot run at all. */
export function argumentsFor(platform: PlatformName, lane: Lane): readonly Argument[] | null {
  switch (platform) {
    case 'fly':
      return fly(lane);
    case 'railway':
      return railway(lane);
    case 'vercel':
      return vercel(lane);
    case 'cloudrun':
      return cloudrun(lane);
    case 'local':
      return local(lane);
    default:
      return unreachable(platform);
  }
}

function fly(lane: Lane): readonly Argument[] | null {
  if (lane.kind === 'infra') return null;
  return [
    ...when(lane.kind === 'backend', 60, 'runs a long-lived server as it is'),
    ...when(lane.kind === 'worker', 62, 'runs a process that answers no requests'),
    ...when(
      lane.kind === 'frontend' && lane.staticDir !== null,
      25,
      'needs a web server around the files',
    ),
    ...when(
      lane.kind === 'frontend' && lane.staticDir === null,
      45,
      'runs the framework’s own server',
    ),
    ...when(
      lane.dockerfile !== null,
      8,
      `builds the Dockerfile (${lane.dockerfile}) that is there`,
    ),
    ...when(lane.datastores.includes('sqlite'), 12, 'has volumes, which SQLite needs'),
    ...when(lane.ecosystem === 'elixir', 8, 'clusters Elixir nodes over its private network'),
  ];
}

function railway(lane: Lane): readonly Argument[] | null {
  if (lane.kind === 'infra') return null;
  const stores = lane.datastores.filter((name) => MANAGED.includes(name));
  return [
    ...when(lane.kind === 'backend', 56, 'builds and runs a server without a container file'),
    ...when(lane.kind === 'worker', 58, 'runs workers beside the web service'),
    ...when(lane.kind === 'frontend', 35, 'can serve pages, without a network of caches'),
    ...when(
      stores.length > 0,
      Math.min(12, 6 * stores.length),
      `offers ${stores.join(' and ')} beside the service`,
    ),
    ...when(lane.schedule !== null, 4, 'runs services on a schedule'),
    ...when(lane.datastores.includes('sqlite'), -4, 'keeps SQLite only on an extra volume'),
  ];
}

function vercel(lane: Lane): readonly Argument[] | null {
  if (lane.kind === 'worker' || lane.kind === 'infra' || lane.ecosystem === 'docker') return null;
  const pages = PAGES.includes(lane.framework ?? '');
  return [
    ...when(lane.framework === 'next', 88, 'is made by the makers of Next'),
    ...when(pages, 78, `knows ${lane.framework} and serves its files from caches`),
    ...when(
      lane.kind === 'frontend' && !pages && lane.framework !== 'next',
      70,
      'serves static files from caches',
    ),
    ...when(
      lane.kind === 'backend',
      lane.ecosystem === 'node' ? 22 : 8,
      'would turn the server into functions',
    ),
    ...when(lane.datastores.includes('sqlite'), -30, 'has no disk that lasts'),
    ...when(
      lane.kind === 'frontend' && lane.schedule !== null,
      4,
      'runs the schedule in vercel.json',
    ),
  ];
}

function cloudrun(lane: Lane): readonly Argument[] | null {
  if (lane.kind === 'infra') return null;
  return [
    ...when(lane.kind === 'backend', 52, 'runs a server in a container and scales it to zero'),
    ...when(lane.kind === 'worker', 22, 'stops processes that answer no requests'),
    ...when(
      lane.kind === 'frontend' && lane.staticDir !== null,
      20,
      'needs a web server around the files',
    ),
    ...when(
      lane.kind === 'frontend' && lane.staticDir === null,
      42,
      'runs the framework’s own server',
    ),
    ...when(
      lane.dockerfile !== null,
      8,
      `builds the Dockerfile (${lane.dockerfile}) that is there`,
    ),
    ...when(lane.portBinding?.by === 'env', 3, 'tells the port by PORT, which the program reads'),
    ...when(['jvm', 'go', 'dotnet'].includes(lane.ecosystem), 4, 'suits compiled services'),
    ...when(lane.datastores.includes('sqlite'), -30, 'has no disk that lasts'),
  ];
}

function local(lane: Lane): readonly Argument[] {
  return [
    ...when(lane.kind === 'infra', 30, 'leaves infrastructure to its own tool'),
    ...when(lane.kind !== 'infra', 20, 'needs no account and runs anything that starts here'),
    ...when(lane.datastores.includes('sqlite'), 8, 'keeps the SQLite file on its disk'),
    ...when(lane.staticDir !== null, 4, 'hands out the built files itself'),
  ];
}

function when(applies: boolean, points: number, because: string): readonly Argument[] {
  return applies ? [{ points, because }] : [];
}
