import { cite, citeFile, type Source } from '../evidence.ts';
import { at, keysOf, listOf, stringOf, stringsOf } from '../json.ts';
import type { Evidence } from '../lane.ts';
import { openProject, type Project } from '../project.ts';
import { directoryOf, join } from '../snapshot.ts';

export interface PythonPackage {
  readonly project: Project;
  readonly dependencies: ReadonlySet<string>;
  /** The file that lists the dependencies, relative to the project. */
  readonly manifest: string;
  readonly list: Source;
  readonly manager: 'pip' | 'uv' | 'poetry' | 'pipenv' | 'pdm';
  readonly install: string | null;
  readonly installPath: string;
  /** What stands in front of a command so that it finds the installed packages. */
  readonly prefix: string;
  readonly evidence: Evidence;
  /** Commands that `[project.scripts]` installs. */
  readonly scripts: readonly string[];
}

export function openPython(project: Project): PythonPackage | undefined {
  const manifest = manifestOf(project);
  if (manifest === undefined) return undefined;
  const above = manifest === 'manage.py' ? packageAbove(project) : undefined;
  if (above !== undefined) return { ...above, project, manifest: above.list.file };
  const data = project.data('pyproject.toml');
  const dependencies = new Set(
    [...declared(project), ...requirements(project), ...pipfile(project)].flatMap(names),
  );
  const scripts = [
    ...keysOf(at(data, 'project', 'scripts')),
    ...keysOf(at(data, 'tool', 'poetry', 'scripts')),
  ];
  const list = project.source(manifest);
  return { project, dependencies, manifest, list, scripts, ...managerOf(project, manifest) };
}

// A Django project one level down often leaves its list of packages at the top.
function packageAbove(project: Project): PythonPackage | undefined {
  if (project.path === '.') return undefined;
  return openPython(openProject(project.snapshot, directoryOf(project.path)));
}

function manifestOf(project: Project): string | undefined {
  const wanted = [
    'requirements.txt',
    'pyproject.toml',
    'Pipfile',
    'setup.py',
    'setup.cfg',
    'requirements/production.txt',
    'requirements/prod.txt',
    'requirements/base.txt',
    'manage.py',
  ];
  const known = wanted.filter((file) => project.has(file));
  // A pyproject.toml with nothing but settings of tools says nothing about packages.
  const rich = known.find((file) => file !== 'pyproject.toml' || declared(project).length > 0);
  return rich ?? known[0] ?? project.files.find((file) => /^requirements[\w.-]*\.txt$/.test(file));
}

function declared(project: Project): readonly string[] {
  const data = project.data('pyproject.toml');
  const groups = at(data, 'project', 'optional-dependencies');
  return [
    ...stringsOf(at(data, 'project', 'dependencies')),
    ...keysOf(groups)
      .filter((name) => !/dev|test|lint|doc/.test(name))
      .flatMap((name) => stringsOf(at(groups, name))),
    ...poetry(project),
  ];
}

function poetry(project: Project): readonly string[] {
  const table = at(project.data('pyproject.toml'), 'tool', 'poetry', 'dependencies');
  return keysOf(table)
    .filter((name) => name.toLowerCase() !== 'python')
    .map((name) =>
      withExtras(
        name,
        listOf(at(table, name, 'extras')).map((one) => stringOf(one) ?? ''),
      ),
    );
}

const withExtras = (name: string, extras: readonly string[]): string =>
  extras.length === 0 ? name : `${name}[${extras.join(',')}]`;

function requirements(project: Project): readonly string[] {
  return project.files
    .filter(
      (file) =>
        /^(requirements\/)?[\w-]*(requirements|base|prod|production|common)[\w-]*\.txt$/.test(
          file,
        ) && !/dev|test|lint|doc/.test(file),
    )
    .flatMap((file) => (project.text(file) ?? '').split('\n'))
    .filter((line) => /^[A-Za-z]/.test(line));
}

function pipfile(project: Project): readonly string[] {
  const table = at(project.data('Pipfile'), 'packages');
  return keysOf(table).map((name) => withExtras(name, stringsOf(at(table, name, 'extras'))));
}

/** `Celery[redis]>=5 ; python_version > "3"` → celery, celery[redis] */
function names(line: string): readonly string[] {
  const match = /^([A-Za-z0-9][\w.-]*)(?:\[([^\]]*)\])?/.exec(line.trim());
  if (match === null) return [];
  const name = (match[1] ?? '').toLowerCase().replaceAll('_', '-');
  const extras = (match[2] ?? '').split(',').map((one) => one.trim().toLowerCase());
  return [name, ...extras.filter((one) => one !== '').map((one) => `${name}[${one}]`)];
}

type Managed = Pick<PythonPackage, 'manager' | 'install' | 'installPath' | 'prefix' | 'evidence'>;

function managerOf(project: Project, manifest: string): Managed {
  return uv(project) ?? poetryManaged(project) ?? otherTool(project) ?? pip(project, manifest);
}

function uv(project: Project): Managed | undefined {
  const lock = lockAbove(project, 'uv.lock');
  const table = at(project.data('pyproject.toml'), 'tool', 'uv');
  if (lock === undefined && table === undefined) return undefined;
  return {
    manager: 'uv',
    install: 'uv sync',
    installPath: lock === undefined ? project.path : directoryOf(lock),
    prefix: 'uv run ',
    evidence:
      lock === undefined
        ? cite('package_manager', 'uv', project.source('pyproject.toml'), '[tool.uv', 'tool-table')
        : citeFile('package_manager', 'uv', lock, 'lockfile'),
  };
}

function poetryManaged(project: Project): Managed | undefined {
  const table = at(project.data('pyproject.toml'), 'tool', 'poetry');
  if (table === undefined && !project.has('poetry.lock')) return undefined;
  const evidence =
    table === undefined
      ? citeFile('package_manager', 'poetry', project.source('poetry.lock').file, 'lockfile')
      : cite(
          'package_manager',
          'poetry',
          project.source('pyproject.toml'),
          '[tool.poetry',
          'tool-table',
        );
  return plain('poetry', 'poetry install', 'poetry run ', project, evidence);
}

function otherTool(project: Project): Managed | undefined {
  if (project.has('Pipfile')) {
    const evidence = citeFile(
      'package_manager',
      'pipenv',
      project.source('Pipfile').file,
      'pipfile',
    );
    return plain('pipenv', 'pipenv install', 'pipenv run ', project, evidence);
  }
  const table = at(project.data('pyproject.toml'), 'tool', 'pdm');
  if (table === undefined && !project.has('pdm.lock')) return undefined;
  const evidence = citeFile(
    'package_manager',
    'pdm',
    project.source('pyproject.toml').file,
    'tool-table',
  );
  return plain('pdm', 'pdm install', 'pdm run ', project, evidence);
}

function pip(project: Project, manifest: string): Managed {
  const listed = manifest.endsWith('.txt');
  const packaged = manifest === 'manage.py' ? null : 'pip install .';
  const file = project.source(manifest).file;
  const evidence = citeFile('package_manager', 'pip', file, listed ? 'requirements' : 'pyproject');
  return plain('pip', listed ? `pip install -r ${manifest}` : packaged, '', project, evidence);
}

function plain(
  manager: PythonPackage['manager'],
  install: string | null,
  prefix: string,
  project: Project,
  evidence: Evidence,
): Managed {
  return { manager, install, prefix, installPath: project.path, evidence };
}

function lockAbove(project: Project, name: string): string | undefined {
  const files = new Set(project.snapshot.files);
  for (let path = project.path; ; path = directoryOf(path)) {
    if (files.has(join(path, name))) return join(path, name);
    if (path === '.') return undefined;
  }
}
