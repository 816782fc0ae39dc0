import { cite, citeAt } from '../evidence.ts';
import type { Evidence, PortBinding } from '../lane.ts';
import type { Project } from '../project.ts';
import type { NodePackage } from './node-package.ts';

/** How a page framework's result is served in production. */
export interface PageRun {
  /** The server the framework builds or brings; null when files are enough. */
  readonly command: string | null;
  readonly build: string | null;
  readonly staticDir: string | null;
  readonly port: number;
  readonly binding: PortBinding;
  /** True when the project's own program listens, so its text decides the port. */
  readonly customServer: boolean;
  readonly evidence: Evidence | null;
}

const BY_ENV: PortBinding = { by: 'env', name: 'PORT' };
const BY_FLAG: PortBinding = { by: 'flag', flag: '--port', host: '--host' };

/** Production facts of a page framework, as its configuration sets them. */
export function pageRun(pkg: NodePackage, framework: string, build: string | null): PageRun {
  switch (framework) {
    case 'next':
      return next(pkg.project);
    case 'nuxt':
      return nuxt(pkg.project, build);
    case 'sveltekit':
      return sveltekit(pkg);
    case 'remix':
      return serverRun('remix vite:build', 'remix-serve ./build/server/index.js', 3000, true);
    case 'react-router':
      return reactRouter(pkg.project);
    case 'astro':
      return astro(pkg);
    case 'tanstack-start':
    case 'solid-start':
      return serverRun('vite build', 'node .output/server/index.mjs', 3000);
    case 'gatsby':
      return files('gatsby build', 'public', 9000);
    default:
      return bundled(pkg.project, framework, build);
  }
}

function serverRun(
  build: string,
  command: string,
  port: number,
  customServer = false,
  evidence: Evidence | null = null,
): PageRun {
  return { command, build, staticDir: null, port, binding: BY_ENV, customServer, evidence };
}

function files(
  build: string | null,
  staticDir: string,
  port: number,
  evidence: Evidence | null = null,
): PageRun {
  return { command: null, build, staticDir, port, binding: BY_FLAG, customServer: false, evidence };
}

function next(project: Project): PageRun {
  const output = setting(
    project,
    /^next\.config\.[cm]?[jt]s$/,
    /\boutput\s*:\s*['"](standalone|export)['"]/,
    'output',
  );
  if (output?.value === 'export') return files('next build', 'out', 3000, output);
  if (output?.value === 'standalone')
    return serverRun('next build', 'node .next/standalone/server.js', 3000, true, output);
  return serverRun('next build', 'next start', 3000, true);
}

function nuxt(project: Project, build: string | null): PageRun {
  const preset = setting(
    project,
    /^nuxt\.config\.[cm]?[jt]s$/,
    /\bpreset\s*:\s*['"](static|github[_-]pages)['"]/,
    'output',
  );
  if (preset !== null || /\b(nuxt|nuxi) generate\b/.test(build ?? ''))
    return files('nuxt generate', '.output/public', 3000, preset);
  return serverRun('nuxt build', 'node .output/server/index.mjs', 3000);
}

function sveltekit(pkg: NodePackage): PageRun {
  const manifest = pkg.project.source('package.json');
  const adapter = (name: string): Evidence | null =>
    pkg.all.has(name) ? cite('output', name, manifest, `"${name}"`, 'adapter') : null;
  const node = adapter('@sveltejs/adapter-node');
  if (node !== null) return serverRun('vite build', 'node build', 3000, true, node);
  const plain = adapter('@sveltejs/adapter-static');
  if (plain !== null) return files('vite build', 'build', 4173, plain);
  return { ...files('vite build', 'build', 4173), command: null, staticDir: null };
}

function reactRouter(project: Project): PageRun {
  const spa = setting(
    project,
    /^react-router\.config\.[cm]?[jt]s$/,
    /\bssr\s*:\s*(false)/,
    'output',
  );
  if (spa !== null) return files('react-router build', 'build/client', 3000, spa);
  return serverRun('react-router build', 'react-router-serve ./build/server/index.js', 3000, true);
}

function astro(pkg: NodePackage): PageRun {
  const { project } = pkg;
  const config = /^astro\.config\.[cm]?[jt]s$/;
  const output = setting(project, config, /\boutput\s*:\s*['"](server|hybrid)['"]/, 'output');
  const node = setting(project, config, /\b(adapter\s*:\s*node)\(/, 'output');
  if (node !== null)
    return serverRun('astro build', 'node ./dist/server/entry.mjs', 4321, true, node);
  if (output !== null) return { ...files('astro build', 'dist', 4321, output), staticDir: null };
  return files('astro build', 'dist', 4321);
}

const OUTPUT: Readonly<Record<string, readonly [string, string, number]>> = {
  vite: ['vite build', 'dist', 4173],
  'create-react-app': ['react-scripts build', 'build', 3000],
  'vue-cli': ['vue-cli-service build', 'dist', 8080],
  angular: ['ng build', 'dist', 4200],
  docusaurus: ['docusaurus build', 'build', 3000],
  vitepress: ['vitepress build', '.vitepress/dist', 4173],
  vuepress: ['vuepress build', '.vuepress/dist', 8080],
  eleventy: ['eleventy', '_site', 8080],
  parcel: ['parcel build', 'dist', 1234],
  webpack: ['webpack --mode production', 'dist', 8080],
  rsbuild: ['rsbuild build', 'dist', 3000],
  hexo: ['hexo generate', 'public', 4000],
  ember: ['ember build --environment=production', 'dist', 4200],
};

function bundled(project: Project, framework: string, written: string | null): PageRun {
  const [build, directory, port] = OUTPUT[framework] ?? [null, 'dist', 3000];
  const moved = setting(
    project,
    /^vite\.config\.[cm]?[jt]s$/,
    /\boutDir\s*:\s*['"]([^'"]+)['"]/,
    'output',
  );
  const flag = /--(?:outDir|output-path|dist-dir|out-dir)[ =](\S+)/.exec(written ?? '')?.[1];
  return files(build, flag ?? moved?.value ?? directory, port, moved);
}

function setting(project: Project, name: RegExp, pattern: RegExp, field: string): Evidence | null {
  const file = project.files.find((one) => name.test(one));
  if (file === undefined) return null;
  const source = project.source(file);
  const match = pattern.exec(source.text);
  return match === null ? null : citeAt(field, match[1] ?? '', source, match.index, 'config-file');
}
