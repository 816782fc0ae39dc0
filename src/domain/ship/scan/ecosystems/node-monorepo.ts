import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeFile, type Source } from '../evidence.ts';
import { at, type Json, keysOf, stringOf } from '../json.ts';
import { openProject, type Project } from '../project.ts';
import { baseOf, join, relativeTo } from '../snapshot.ts';
import { frameworkIn, PAGE_FRAMEWORKS, SERVERS, WORKERS } from './node-frameworks.ts';
import { openPackage, packageManager } from './node-package.ts';
import { listens } from './node-start.ts';

/** Applications of a Nest monorepo: they share one package.json and are listed in nest-cli.json. */
export function nestWorkspace(project: Project): Verdict | undefined {
  const projects = at(project.data('nest-cli.json'), 'projects');
  const names = keysOf(projects).filter(
    (name) => stringOf(at(projects, name, 'type')) === 'application',
  );
  const pkg = openPackage(project);
  if (pkg === undefined || names.length === 0) return undefined;
  const found = packageManager(project);
  const source = project.source('nest-cli.json');
  return service(
    ...names.map((name) =>
      nestDraft(project, name, at(projects, name), [...pkg.runtime], found.manager, source),
    ),
  );
}

function nestDraft(
  project: Project,
  name: string,
  data: Json | undefined,
  dependencies: readonly string[],
  manager: string,
  source: Source,
): Draft {
  const root = stringOf(at(data, 'root')) ?? `apps/${name}`;
  const entry = stringOf(at(data, 'entryFile')) ?? 'main';
  const scope = openProject(project.snapshot, join(project.path, root));
  const http = scope
    .sources(['.ts'])
    .some(({ text }) => /\.listen\(/.test(text) && !/createMicroservice/.test(text));
  // The Nest command needs the directory of nest-cli.json, the lane its own.
  const way = relativeTo(root, '.');
  const start = `node ${way}/dist/${root}/${entry}`;
  return {
    kind: http ? 'backend' : 'worker',
    ecosystem: 'node',
    framework: 'nest',
    packageManager: manager,
    install: `${manager} install`,
    installPath: project.path,
    build: `cd ${way} && nest build ${name}`,
    start,
    role: name,
    path: join(project.path, root),
    entries: [`src/${entry}.ts`],
    dependencies,
    manifest: join(project.path, 'package.json'),
    evidence: [
      cite('framework', 'nest', source, `"${name}"`, 'nest-project'),
      citeFile('package_manager', manager, project.source('package.json').file, 'package-json'),
      cite('start', start, source, `"${name}"`, 'nest-project'),
    ],
  };
}

/** A project of an integrated Nx workspace: its project.json replaces a package.json. */
export function nxVerdict(project: Project): Verdict | undefined {
  const data = project.data('project.json');
  if (at(data, 'projectType') === undefined || project.has('package.json')) return undefined;
  const source = project.source('project.json');
  if (at(data, 'projectType') !== 'application')
    return other(
      'library',
      'a library of the Nx workspace',
      cite('deployable', 'false', source, '"projectType"', 'nx-library'),
    );
  const name = stringOf(at(data, 'name')) ?? baseOf(project.path);
  if (name.endsWith('-e2e'))
    return other(
      'tests',
      'end-to-end tests',
      cite('deployable', 'false', source, /"name"|"projectType"/, 'nx-e2e'),
    );
  return service(nxDraft(project, name, source));
}

function nxDraft(project: Project, name: string, source: Source): Draft {
  const used = usedPackages(project, source);
  const role = nxRole(project, source, used);
  const found = packageManager(project);
  const options = at(project.data('project.json'), 'targets', 'build', 'options');
  const output = stringOf(at(options, 'outputPath')) ?? `dist/${project.path}`;
  const way = '../'.repeat(project.path.split('/').length);
  const serving = role.framework === 'next' ? 'next start' : null;
  const start = role.kind === 'frontend' ? serving : `node ${way}${output}/main.js`;
  const named = role.framework ?? 'node';
  const started =
    start === null ? [] : [cite('start', start, source, /"outputPath"|"projectType"/, 'nx-target')];
  return {
    ...role,
    ecosystem: 'node',
    packageManager: found.manager,
    install: `${found.manager} install`,
    installPath: found.directory,
    build: `nx build ${name}`,
    start,
    staticDir: start === null ? `${way}${output}` : null,
    ...(serving === null ? {} : { defaultPort: 3000 }),
    entries: ['src/main.ts'],
    dependencies: [...used],
    manifest: 'package.json',
    evidence: [
      cite(
        role.framework === null ? 'ecosystem' : 'framework',
        named,
        source,
        /"projectType"/,
        'nx-project',
      ),
      found.evidence,
      cite('build', `nx build ${name}`, source, /"build"|"projectType"/, 'nx-target'),
      ...started,
    ],
  };
}

/** Dependencies of the one package.json that this project's files mention. */
function usedPackages(project: Project, source: Source): ReadonlySet<string> {
  const all = openPackage(openProject(project.snapshot, '.'))?.all ?? new Set<string>();
  const imports = project
    .sources(['.ts', '.tsx', '.js'])
    .flatMap(({ text }) =>
      [...text.matchAll(/from\s+['"]([@\w/.-]+)['"]/g)].map((match) => match[1] ?? ''),
    );
  const isUsed = (name: string): boolean =>
    source.text.includes(name) || imports.some((one) => one === name || one.startsWith(`${name}/`));
  return new Set([...all].filter(isUsed));
}

function nxRole(
  project: Project,
  source: Source,
  used: ReadonlySet<string>,
): Pick<Draft, 'kind' | 'framework'> {
  const page = nxPage(project, source, used);
  if (page !== undefined) return { kind: 'frontend', framework: page };
  const server = frameworkIn(SERVERS, used);
  if (server !== undefined || listens(project))
    return { kind: 'backend', framework: server?.slug ?? null };
  return { kind: 'worker', framework: frameworkIn(WORKERS, used)?.slug ?? null };
}

function nxPage(project: Project, source: Source, used: ReadonlySet<string>): string | undefined {
  const page = frameworkIn(PAGE_FRAMEWORKS, used);
  if (page !== undefined) return page.slug;
  if (
    /@nx\/vite|@nrwl\/vite/.test(source.text) ||
    project.files.some((file) => file.startsWith('vite.config.'))
  )
    return project.files.some((file) => /(^|\/)index\.html$/.test(file)) ? 'vite' : undefined;
  if (/@(nx|nrwl)\/angular|@angular/.test(source.text)) return 'angular';
  return project.files.some((file) => /(^|\/)index\.html$/.test(file)) ? 'webpack' : undefined;
}
