import { cite, citeFile } from '../evidence.ts';
import { at, keysOf, stringOf } from '../json.ts';
import type { Evidence } from '../lane.ts';
import type { Project } from '../project.ts';
import { directoryOf, join } from '../snapshot.ts';

export interface NodePackage {
  readonly project: Project;
  readonly name: string | null;
  /** Run-time dependencies. */
  readonly runtime: ReadonlySet<string>;
  /** Run-time and development dependencies. */
  readonly all: ReadonlySet<string>;
  readonly isPrivate: boolean;
  readonly isWorkspaceRoot: boolean;
}

export function openPackage(project: Project): NodePackage | undefined {
  const data = project.data('package.json');
  if (data === undefined) return undefined;
  const runtime = [
    ...keysOf(at(data, 'dependencies')),
    ...keysOf(at(data, 'optionalDependencies')),
  ];
  return {
    project,
    name: stringOf(at(data, 'name')) ?? null,
    runtime: new Set(runtime),
    all: new Set([...runtime, ...keysOf(at(data, 'devDependencies'))]),
    isPrivate: at(data, 'private') === true,
    isWorkspaceRoot:
      at(data, 'workspaces') !== undefined ||
      project.has('pnpm-workspace.yaml') ||
      project.has('lerna.json') ||
      project.has('nx.json'),
  };
}

const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type NodeManager = (typeof MANAGERS)[number];

export interface ManagerFound {
  readonly manager: NodeManager;
  /** The directory that holds the lockfile, where an install has to run. */
  readonly directory: string;
  readonly evidence: Evidence;
  /** Lockfiles of other managers in the same place. */
  readonly rivals: readonly string[];
}

// An npm lockfile is the one most often left behind by accident, so it is asked last.
const LOCKFILES: readonly (readonly [string, NodeManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** The package manager of a project, asked of its own directory first and then of those above. */
export function packageManager(project: Project): ManagerFound {
  const files = new Set(project.snapshot.files);
  for (const directory of upwards(project.path)) {
    const locks = LOCKFILES.filter(([name]) => files.has(join(directory, name)));
    const declared = declaredManager(project, directory);
    const [lock] = locks;
    if (declared !== undefined)
      return { ...declared, directory, rivals: rivals(locks, declared.manager) };
    if (lock !== undefined) {
      const file = join(directory, lock[0]);
      return {
        manager: lock[1],
        directory,
        evidence: citeFile('package_manager', lock[1], file, 'lockfile'),
        rivals: rivals(locks, lock[1]),
      };
    }
    const workspace = join(directory, 'pnpm-workspace.yaml');
    if (files.has(workspace))
      return {
        manager: 'pnpm',
        directory,
        evidence: citeFile('package_manager', 'pnpm', workspace, 'workspace-file'),
        rivals: [],
      };
  }
  return fallback(project, files);
}

function fallback(project: Project, files: ReadonlySet<string>): ManagerFound {
  const bun = files.has(join(project.path, 'bunfig.toml'));
  const manager = bun ? 'bun' : 'npm';
  const root = upwards(project.path).find(
    (directory) =>
      at(project.snapshot.data(join(directory, 'package.json')), 'workspaces') !== undefined,
  );
  return {
    manager,
    directory: root ?? project.path,
    evidence: citeFile(
      'package_manager',
      manager,
      join(project.path, bun ? 'bunfig.toml' : 'package.json'),
      bun ? 'bun-config' : 'default',
    ),
    rivals: [],
  };
}

function declaredManager(
  project: Project,
  directory: string,
): Pick<ManagerFound, 'manager' | 'evidence'> | undefined {
  const file = join(directory, 'package.json');
  const data = project.snapshot.data(file);
  const text =
    stringOf(at(data, 'packageManager')) ??
    stringOf(at(data, 'devEngines', 'packageManager', 'name')) ??
    '';
  const manager = MANAGERS.find((name) => text === name || text.startsWith(`${name}@`));
  if (manager === undefined) return undefined;
  const source = { file, text: project.snapshot.text(file) ?? '' };
  return {
    manager,
    evidence: cite('package_manager', manager, source, '"packageManager"', 'package-manager-field'),
  };
}

function rivals(
  locks: readonly (readonly [string, NodeManager])[],
  chosen: NodeManager,
): readonly string[] {
  return locks.filter(([, manager]) => manager !== chosen).map(([name]) => name);
}

function upwards(path: string): readonly string[] {
  const found = [path];
  for (let current = path; current !== '.';) {
    current = directoryOf(current);
    found.push(current);
  }
  return found;
}
