import { other, type Verdict } from '../draft.ts';
import { cite } from '../evidence.ts';
import { at, stringOf } from '../json.ts';
import type { Project } from '../project.ts';
import { scriptsOf } from '../scripts.ts';
import { BUNDLERS, frameworkIn, PAGE_FRAMEWORKS, SERVERS, WORKERS } from './node-frameworks.ts';
import { type NodePackage, openPackage } from './node-package.ts';
import { pageDraft, serverVerdict } from './node-drafts.ts';
import { delegatesToWorkspaces, listens, startScript } from './node-start.ts';

/** What a package.json makes of its directory. */
export function nodeVerdict(project: Project): Verdict | undefined {
  const pkg = openPackage(project);
  if (pkg === undefined) return undefined;
  return notForServers(pkg) ?? workspaceRoot(pkg) ?? pages(pkg) ?? server(pkg) ?? leftOver(pkg);
}

function notForServers(pkg: NodePackage): Verdict | undefined {
  const manifest = pkg.project.source('package.json');
  const told = (what: 'mobile-app' | 'desktop-app' | 'extension', name: string, say: string) =>
    other(what, say, cite('deployable', 'false', manifest, `"${name}"`, what));
  const mobile = [
    'expo',
    'react-native',
    '@ionic/angular',
    '@capacitor/core',
    '@nativescript/core',
  ].find((name) => pkg.runtime.has(name));
  if (
    mobile !== undefined &&
    frameworkIn([...PAGE_FRAMEWORKS, ...SERVERS], pkg.runtime) === undefined
  )
    return told('mobile-app', mobile, `a mobile app (${mobile})`);
  const desktop = ['electron', '@tauri-apps/cli', '@tauri-apps/api'].find((name) =>
    pkg.all.has(name),
  );
  if (desktop !== undefined) return told('desktop-app', desktop, `a desktop app (${desktop})`);
  if (at(pkg.project.data('package.json'), 'engines', 'vscode') !== undefined)
    return told('extension', 'vscode', 'an editor extension');
  const browser = ['manifest.json', 'src/manifest.json', 'public/manifest.json'].find(
    (file) => at(pkg.project.data(file), 'manifest_version') !== undefined,
  );
  if (browser === undefined) return undefined;
  const source = pkg.project.source(browser);
  return other(
    'extension',
    'a browser extension',
    cite('deployable', 'false', source, '"manifest_version"', 'extension'),
  );
}

function workspaceRoot(pkg: NodePackage): Verdict | undefined {
  if (!pkg.isWorkspaceRoot) return undefined;
  const start = startScript(pkg.project);
  const page = frameworkIn(PAGE_FRAMEWORKS, pkg.runtime);
  const own = start !== undefined && !delegatesToWorkspaces(start);
  if (own && (page !== undefined || listens(pkg.project))) return undefined;
  const source = pkg.project.source('package.json');
  return other(
    'nothing',
    'the root of a workspace',
    cite('deployable', 'false', source, /"(workspaces|name|private)"/, 'workspace-root'),
  );
}

function pages(pkg: NodePackage): Verdict | undefined {
  const framework = frameworkIn(PAGE_FRAMEWORKS, pkg.all);
  if (framework !== undefined && !isPublished(pkg)) return pageDraft(pkg, framework);
  const bundler = frameworkIn(BUNDLERS, pkg.all);
  if (bundler === undefined || servesItself(pkg) || !isSite(pkg, bundler.slug)) return undefined;
  return pageDraft(pkg, bundler);
}

// A package for a framework (a plugin, a component set) has exports and no pages of its own.
function isPublished(pkg: NodePackage): boolean {
  return isForSale(pkg) && startScript(pkg.project) === undefined;
}

// Exports, types and a list of files are what a package for others has, whatever its scripts do.
function isForSale(pkg: NodePackage): boolean {
  const data = pkg.project.data('package.json');
  const exported = ['exports', 'module', 'types', 'files'].some(
    (key) => at(data, key) !== undefined,
  );
  return exported && !pkg.isPrivate;
}

function servesItself(pkg: NodePackage): boolean {
  const framework = frameworkIn(SERVERS, pkg.runtime);
  if (framework === undefined && !listens(pkg.project)) return false;
  const start = startScript(pkg.project);
  return start === undefined
    ? listens(pkg.project)
    : /\b(node|tsx|ts-node|bun|nest|nodemon|pm2)\b/.test(start.command);
}

/** A bundler builds a site only where there is a page to serve; else it builds a library or assets. */
function isSite(pkg: NodePackage, bundler: string): boolean {
  const { project } = pkg;
  if (!['vite', 'parcel', 'webpack', 'rsbuild'].includes(bundler)) return !isPublished(pkg);
  if (isLibraryBuild(project)) return false;
  const page = [
    'index.html',
    'src/index.html',
    'public/index.html',
    'client/index.html',
    'app/index.html',
  ].some((file) => project.has(file));
  const view = ['react-dom', 'vue', 'svelte', 'preact', 'solid-js', 'lit', '@angular/core'].some(
    (name) => pkg.all.has(name),
  );
  const starts = [...scriptsOf(project).values()].some((line) =>
    /webpack serve|webpack-dev-server|vite preview|rsbuild (dev|preview)/.test(line),
  );
  return page || (view && starts && !isPublished(pkg));
}

function isLibraryBuild(project: Project): boolean {
  const config = project.files.find((file) => /^vite\.config\.[cm]?[jt]s$/.test(file));
  return (
    config !== undefined &&
    /\blib\s*:\s*\{/.test(project.text(config) ?? '') &&
    !project.has('index.html')
  );
}

function server(pkg: NodePackage): Verdict | undefined {
  const start = startScript(pkg.project);
  const isTool = at(pkg.project.data('package.json'), 'bin') !== undefined && start === undefined;
  if (isTool) return undefined;
  const open = listens(pkg.project);
  const framework = frameworkIn(SERVERS, pkg.runtime);
  if (open || (framework !== undefined && start !== undefined))
    return serverVerdict(pkg, 'backend', framework);
  const worker = frameworkIn(WORKERS, pkg.runtime);
  if (worker !== undefined && (start !== undefined || hasLoop(pkg)))
    return serverVerdict(pkg, 'worker', worker);
  const own = start !== undefined && runsOwnProgram(start.command) && !isForSale(pkg);
  return own ? serverVerdict(pkg, 'worker', undefined) : undefined;
}

const hasLoop = (pkg: NodePackage): boolean =>
  pkg.project
    .sources(['.js', '.mjs', '.cjs', '.ts', '.mts'])
    .some(({ text }) =>
      /new (Worker|Queue|CronJob|Cron|Client|Agenda|PgBoss)\(|cron\.schedule\(|\.consume\(|\.subscribe\(|setInterval\(|\.process\(/.test(
        text,
      ),
    );

const runsOwnProgram = (command: string): boolean =>
  /(^|[;&| ])(node|tsx|ts-node|bun)\s/.test(command) &&
  !/\b(webpack|gulp|grunt|rollup|esbuild)\b|\s-[ie]\s/.test(command);

function leftOver(pkg: NodePackage): Verdict {
  const source = pkg.project.source('package.json');
  const data = pkg.project.data('package.json');
  const bin = at(data, 'bin');
  if (bin !== undefined)
    return other(
      'cli',
      'a command line tool (package.json has "bin" and nothing listens)',
      cite('deployable', 'false', source, '"bin"', 'cli-bin'),
    );
  const key = ['exports', 'module', 'main', 'types', 'files', 'peerDependencies'].find(
    (name) => at(data, name) !== undefined,
  );
  const placeholder =
    key === 'main' && pkg.runtime.size === 0 && !pkg.project.has(stringOf(at(data, 'main')) ?? '');
  if (key !== undefined && !placeholder)
    return other(
      'library',
      `a library (package.json has "${key}", no start script and nothing listens)`,
      cite('deployable', 'false', source, `"${key}"`, 'library-exports'),
    );
  const tests = ['playwright', '@playwright/test', 'cypress'].find((name) => pkg.all.has(name));
  if (tests !== undefined)
    return other(
      'tests',
      `tests (${tests})`,
      cite('deployable', 'false', source, `"${tests}"`, 'test-suite'),
    );
  return other(
    'assets',
    'a package.json without anything that starts or is published',
    cite('deployable', 'false', source, '{', 'assets-only'),
  );
}
