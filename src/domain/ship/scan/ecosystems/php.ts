import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeFile } from '../evidence.ts';
import { at, keysOf } from '../json.ts';
import { firstOf, type Project } from '../project.ts';
import { resolveScript, scriptsOf } from '../scripts.ts';
import { packageManager } from './node-package.ts';

const FRAMEWORKS: readonly (readonly [string, string])[] = [
  ['laravel/framework', 'laravel'],
  ['laravel/lumen-framework', 'lumen'],
  ['symfony/framework-bundle', 'symfony'],
  ['slim/slim', 'slim'],
  ['cakephp/cakephp', 'cakephp'],
  ['codeigniter4/framework', 'codeigniter'],
  ['yiisoft/yii2', 'yii'],
  ['laminas/laminas-mvc', 'laminas'],
];

/** What composer.json or loose PHP files make of a directory. */
export function phpVerdict(project: Project): Verdict | undefined {
  if (firstOf(project, ['wp-config.php', 'wp-config-sample.php', 'wp-load.php']) !== undefined)
    return wordpress(project);
  const data = project.data('composer.json');
  const page = firstOf(project, [
    'public/index.php',
    'web/index.php',
    'index.php',
    'src/index.php',
  ]);
  if (data === undefined) return page === undefined ? undefined : plain(project, page, null);
  return frameworkVerdict(project, page) ?? leftOver(project, page);
}

function frameworkVerdict(project: Project, page: string | undefined): Verdict | undefined {
  const data = project.data('composer.json');
  const required = keysOf(at(data, 'require'));
  const found = FRAMEWORKS.find(([name]) => required.includes(name));
  if (found === undefined) return undefined;
  const program = project.has('artisan') || at(data, 'type') === 'project';
  if (found[1] === 'laravel') return program ? service(...laravel(project)) : undefined;
  return page === undefined ? undefined : plain(project, page, found);
}

function leftOver(project: Project, page: string | undefined): Verdict {
  const data = project.data('composer.json');
  const manifest = project.source('composer.json');
  if (at(data, 'bin') !== undefined)
    return other(
      'cli',
      'a command line tool (composer.json has "bin")',
      cite('deployable', 'false', manifest, '"bin"', 'cli-bin'),
    );
  if (page !== undefined && at(data, 'type') !== 'library') return plain(project, page, null);
  return other(
    'library',
    'a PHP library',
    cite('deployable', 'false', manifest, /"(type|name)"/, 'composer-library'),
  );
}

function base(
  project: Project,
): Pick<Draft, 'ecosystem' | 'packageManager' | 'install' | 'dependencies' | 'manifest'> {
  const composer = project.has('composer.json');
  return {
    ecosystem: 'php',
    packageManager: composer ? 'composer' : null,
    install: composer ? 'composer install' : null,
    dependencies: keysOf(at(project.data('composer.json'), 'require')),
    manifest: composer ? 'composer.json' : 'index.php',
  };
}

function laravel(project: Project): readonly Draft[] {
  const manifest = project.source('composer.json');
  const framework = cite('framework', 'laravel', manifest, '"laravel/framework"', 'dependency');
  const assets = resolveScript(project, scriptsOf(project), 'build', 'build');
  const up = firstOf(project, ['bootstrap/app.php']);
  const health =
    up === undefined ? undefined : /health:\s*['"]([^'"]+)['"]/.exec(project.text(up) ?? '')?.[1];
  const web: Draft = {
    ...base(project),
    kind: 'backend',
    framework: 'laravel',
    build: assets?.command ?? null,
    buildVia:
      assets === undefined ? null : `${packageManager(project).manager} run ${assets.script}`,
    start: 'php artisan serve',
    defaultPort: 8000,
    portInCode: false,
    defaultBinding: { by: 'flag', flag: '--port', host: '--host' },
    ...(health === undefined ? {} : { defaultHealth: health }),
    evidence: [
      framework,
      citeFile('package_manager', 'composer', manifest.file, 'composer-json'),
      citeFile('start', 'php artisan serve', project.source('artisan').file, 'artisan'),
      ...(assets === undefined ? [] : [assets.evidence]),
    ],
  };
  return [web, ...laravelWorkers(project)];
}

function laravelWorkers(project: Project): readonly Draft[] {
  const requires = keysOf(at(project.data('composer.json'), 'require'));
  const manifest = project.source('composer.json');
  const queued = project
    .sources(['.php'])
    .find(({ text }) => /implements[^{]*\bShouldQueue\b/.test(text));
  const horizon = requires.includes('laravel/horizon');
  const schedule = project
    .sources(['.php'])
    .find(
      ({ file, text }) =>
        /(routes\/console|Console\/Kernel|bootstrap\/app)\.php$/.test(file) &&
        /Schedule::(command|call|job|exec)|\$schedule->(command|call|job|exec)/.test(text),
    );
  const draft = (role: string, start: string, evidence: Draft['evidence']): Draft => ({
    ...base(project),
    kind: 'worker',
    framework: 'laravel',
    build: null,
    start,
    role,
    evidence,
  });
  const framework = cite('framework', 'laravel', manifest, '"laravel/framework"', 'dependency');
  const workers: Draft[] = [];
  if (horizon)
    workers.push(
      draft('worker', 'php artisan horizon', [
        framework,
        cite('start', 'php artisan horizon', manifest, '"laravel/horizon"', 'dependency'),
      ]),
    );
  else if (queued !== undefined)
    workers.push(
      draft('worker', 'php artisan queue:work', [
        framework,
        cite('start', 'php artisan queue:work', queued, 'ShouldQueue', 'queued-job'),
      ]),
    );
  if (schedule !== undefined)
    workers.push(
      draft('scheduler', 'php artisan schedule:work', [
        framework,
        cite(
          'schedule',
          'php artisan schedule:work',
          schedule,
          /Schedule::|\$schedule->/,
          'laravel-schedule',
        ),
      ]),
    );
  return workers;
}

function plain(
  project: Project,
  page: string,
  framework: readonly [string, string] | null,
): Verdict {
  const folder = /^(public|web|src)\//.exec(page)?.[1];
  const start = `php -S 0.0.0.0:8000${folder === undefined ? '' : ` -t ${folder}`}`;
  const manifest = base(project).manifest;
  const reason =
    framework === null
      ? citeFile('ecosystem', 'php', project.source(page).file, 'php-page')
      : cite(
          'framework',
          framework[1],
          project.source(manifest),
          `"${framework[0]}"`,
          'dependency',
        );
  return service({
    ...base(project),
    kind: 'backend',
    framework: framework?.[1] ?? null,
    build: null,
    start,
    defaultPort: 8000,
    portInCode: false,
    defaultBinding: { by: 'fixed' },
    evidence: [reason, citeFile('start', start, project.source(page).file, 'front-controller')],
  });
}

function wordpress(project: Project): Verdict {
  const file =
    firstOf(project, ['wp-config.php', 'wp-config-sample.php', 'wp-load.php']) ?? 'index.php';
  return service({
    ...base(project),
    kind: 'backend',
    framework: 'wordpress',
    build: null,
    start: 'php -S 0.0.0.0:8000',
    defaultPort: 8000,
    portInCode: false,
    defaultBinding: { by: 'fixed' },
    dependencies: ['ext-mysqli'],
    manifest: file,
    evidence: [
      citeFile('framework', 'wordpress', project.source(file).file, 'wordpress-files'),
      citeFile('start', 'php -S 0.0.0.0:8000', project.source(file).file, 'front-controller'),
    ],
  });
}
