import { cite, type Source } from '../evidence.ts';
import type { Evidence, PortBinding } from '../lane.ts';
import { at, objectOf, stringOf } from '../json.ts';
import { firstOf, type Project } from '../project.ts';
import type { PythonPackage } from './python-package.ts';

export interface PythonStart {
  readonly command: string;
  readonly port: number;
  readonly binding: PortBinding;
  readonly portInCode: boolean;
  readonly entries: readonly string[];
  readonly evidence: Evidence;
}

const FLAG: PortBinding = { by: 'flag', flag: '--port', host: '--host' };
const ENV: PortBinding = { by: 'env', name: 'PORT' };

/** How a Python web application is started in production. */
export function webStart(pkg: PythonPackage, framework: string): PythonStart | undefined {
  const written = scriptStart(pkg);
  if (written !== undefined) return written;
  if (framework === 'django') return django(pkg);
  if (framework === 'streamlit' || framework === 'gradio') return page(pkg, framework);
  return application(pkg, framework);
}

/** A command of pyproject.toml whose function starts the server. */
function scriptStart(pkg: PythonPackage): PythonStart | undefined {
  const data = pkg.project.data('pyproject.toml');
  const table = {
    ...objectOf(at(data, 'tool', 'poetry', 'scripts')),
    ...objectOf(at(data, 'project', 'scripts')),
  };
  for (const [name, target] of Object.entries(table)) {
    const [module = '', call = ''] = (stringOf(target) ?? '').split(':');
    const path = module.replaceAll('.', '/');
    const file = firstOf(pkg.project, [
      `${path}.py`,
      `src/${path}.py`,
      `${path}/__init__.py`,
      `src/${path}/__init__.py`,
    ]);
    if (
      file === undefined ||
      !new RegExp(String.raw`def ${call}\b`).test(pkg.project.text(file) ?? '')
    )
      continue;
    if (
      !/\b(uvicorn\.run|\w*app\w*\.run|run_app|hypercorn|serve)\(/.test(
        pkg.project.text(file) ?? '',
      )
    )
      continue;
    const command = pkg.prefix + name;
    return {
      command,
      port: 8000,
      binding: { by: 'fixed' },
      portInCode: true,
      entries: [file],
      evidence: cite(
        'start',
        command,
        pkg.project.source('pyproject.toml'),
        new RegExp(String.raw`^${name}\s*=`, 'm'),
        'pyproject-script',
      ),
    };
  }
  return undefined;
}

function django(pkg: PythonPackage): PythonStart {
  const manage = pkg.project.source('manage.py');
  const wsgi = djangoModule(pkg.project, 'wsgi');
  const asgi = djangoModule(pkg.project, 'asgi');
  const has = (name: string): boolean => pkg.dependencies.has(name);
  const from = (source: Source, command: string, binding: PortBinding): PythonStart => ({
    command: pkg.prefix + command,
    port: 8000,
    binding,
    portInCode: false,
    entries: [],
    evidence: cite(
      'start',
      pkg.prefix + command,
      source,
      /application|DJANGO_SETTINGS_MODULE/,
      'django-server',
    ),
  });
  if (asgi !== undefined && (!has('gunicorn') || onlyAsync(pkg))) {
    if (has('daphne')) return from(asgi.source, `daphne ${asgi.module}:application`, FLAG);
    if (has('uvicorn')) return from(asgi.source, `uvicorn ${asgi.module}:application`, FLAG);
  }
  if (!has('gunicorn')) return from(manage, 'python manage.py runserver', { by: 'fixed' });
  const module = wsgi?.module ?? `${settingsPackage(manage)}.wsgi`;
  return from(wsgi?.source ?? manage, `gunicorn ${module}:application`, ENV);
}

const settingsPackage = (manage: Source): string =>
  /DJANGO_SETTINGS_MODULE['"],\s*['"]([\w.]+?)\.settings/.exec(manage.text)?.[1] ?? 'config';

function djangoModule(
  project: Project,
  kind: 'wsgi' | 'asgi',
): { source: Source; module: string } | undefined {
  const source = project
    .sources(['.py'])
    .find(({ file }) => file.endsWith(`/${kind}.py`) || file === `${kind}.py`);
  return source && { source, module: moduleOf(own(project, source.file)) };
}

// Channels needs an asynchronous server even when gunicorn is installed for something else.
const onlyAsync = (pkg: PythonPackage): boolean =>
  pkg.dependencies.has('channels') &&
  (pkg.dependencies.has('daphne') || pkg.dependencies.has('uvicorn'));

function page(pkg: PythonPackage, framework: string): PythonStart | undefined {
  const source = pkg.project.sources(['.py']).find(({ text }) => text.includes(framework));
  if (source === undefined) return undefined;
  const file = own(pkg.project, source.file);
  const command =
    pkg.prefix + (framework === 'streamlit' ? `streamlit run ${file}` : `python ${file}`);
  return {
    command,
    port: framework === 'streamlit' ? 8501 : 7860,
    binding:
      framework === 'streamlit'
        ? { by: 'flag', flag: '--server.port' }
        : { by: 'env', name: 'GRADIO_SERVER_PORT' },
    portInCode: framework === 'gradio',
    entries: [file],
    evidence: cite('start', command, source, framework, `${framework}-program`),
  };
}

const CONSTRUCTORS: Readonly<Record<string, string>> = {
  fastapi: 'FastAPI',
  flask: 'Flask',
  starlette: 'Starlette',
  litestar: 'Litestar',
  sanic: 'Sanic',
  quart: 'Quart',
  falcon: 'falcon\\.(?:asgi\\.)?App',
  bottle: 'Bottle',
  aiohttp: 'web\\.Application',
  tornado: 'tornado\\.web\\.Application',
  pyramid: 'Configurator',
  robyn: 'Robyn',
};

const ASYNC = new Set(['fastapi', 'starlette', 'litestar', 'quart']);

interface Application {
  readonly source: Source;
  readonly file: string;
  readonly name: string;
  readonly factory: boolean;
}

function application(pkg: PythonPackage, framework: string): PythonStart | undefined {
  const app = findApplication(pkg.project, CONSTRUCTORS[framework] ?? framework);
  if (app === undefined) return undefined;
  const module = `${moduleOf(app.file)}:${app.name}`;
  const finish = (
    command: string,
    port: number,
    binding: PortBinding,
    portInCode: boolean,
  ): PythonStart => ({
    command: pkg.prefix + command,
    port,
    binding,
    portInCode,
    entries: [app.file],
    evidence: cite(
      'start',
      pkg.prefix + command,
      app.source,
      new RegExp(CONSTRUCTORS[framework] ?? framework),
      'application-object',
    ),
  });
  return ASYNC.has(framework)
    ? asynchronous(pkg, framework, app, module, finish)
    : synchronous(pkg, framework, app, module, finish);
}

type Finish = (
  command: string,
  port: number,
  binding: PortBinding,
  portInCode: boolean,
) => PythonStart;

function asynchronous(
  pkg: PythonPackage,
  framework: string,
  app: Application,
  module: string,
  finish: Finish,
): PythonStart {
  const needs = (name: string): boolean =>
    pkg.dependencies.has(name) || pkg.dependencies.has(`${framework}[standard]`);
  const factory = app.factory ? ' --factory' : '';
  if (pkg.dependencies.has('gunicorn') && needs('uvicorn') && !app.factory)
    return finish(`gunicorn -k uvicorn.workers.UvicornWorker ${module}`, 8000, ENV, true);
  if (!needs('uvicorn') && !pkg.dependencies.has('hypercorn') && /__main__/.test(app.source.text))
    return finish(`python ${app.file}`, 8000, { by: 'fixed' }, true);
  if (pkg.dependencies.has('hypercorn') && !needs('uvicorn'))
    return finish(`hypercorn ${module}`, 8000, { by: 'flag', flag: '--bind' }, false);
  return finish(`uvicorn ${module}${factory}`, 8000, FLAG, true);
}

function synchronous(
  pkg: PythonPackage,
  framework: string,
  app: Application,
  module: string,
  finish: Finish,
): PythonStart {
  const call = app.factory ? `"${module}()"` : module;
  if (pkg.dependencies.has('gunicorn') && framework !== 'sanic')
    return finish(`gunicorn ${call}`, 8000, ENV, true);
  if (pkg.dependencies.has('waitress'))
    return finish(`waitress-serve ${app.factory ? '--call ' : ''}${module}`, 8080, FLAG, false);
  if (framework === 'sanic') return finish(`sanic ${module}`, 8000, FLAG, false);
  const runs = pkg.project
    .sources(['.py'])
    .find(({ text }) =>
      /\b(app|application)\.run\(|run_app\(|\brun\(.*port|\.listen\(|socketio\.run\(/.test(text),
    );
  if (runs !== undefined)
    return {
      ...finish(
        `python ${own(pkg.project, runs.file)}`,
        framework === 'flask' ? 5000 : 8080,
        { by: 'fixed' },
        true,
      ),
      entries: [own(pkg.project, runs.file)],
    };
  if (framework === 'flask')
    return finish(
      `flask --app ${app.factory ? moduleOf(app.file) : module} run`,
      5000,
      FLAG,
      false,
    );
  return finish(`python ${app.file}`, 8080, { by: 'fixed' }, true);
}

function findApplication(project: Project, constructor: string): Application | undefined {
  const sources = project.sources(['.py']);
  const direct = new RegExp(
    String.raw`^(\w+)\s*(?::\s*[\w.]+\s*)?=\s*(?:\w+\.)?${constructor}\(`,
    'm',
  );
  for (const source of sources) {
    const match = direct.exec(source.text);
    if (match !== null)
      return { source, file: own(project, source.file), name: match[1] ?? 'app', factory: false };
  }
  // A factory: prefer the module that calls it, since a server can load that.
  const factory = sources.find(({ text }) =>
    new RegExp(String.raw`^[ \t]+.*\b${constructor}\(`, 'm').test(text),
  );
  if (factory === undefined) return undefined;
  const name = /def\s+(create_\w*|make_\w*|get_\w*|build_\w*)\s*\(/.exec(factory.text)?.[1];
  if (name === undefined) return undefined;
  const caller = sources.find(({ text }) =>
    new RegExp(String.raw`^(\w+)\s*=\s*${name}\(`, 'm').test(text),
  );
  const variable =
    caller && new RegExp(String.raw`^(\w+)\s*=\s*${name}\(`, 'm').exec(caller.text)?.[1];
  if (caller !== undefined && variable !== undefined)
    return { source: caller, file: own(project, caller.file), name: variable, factory: false };
  return { source: factory, file: own(project, factory.file), name, factory: true };
}

const own = (project: Project, file: string): string =>
  project.path === '.' ? file : file.slice(project.path.length + 1);

function moduleOf(file: string): string {
  return file
    .replace(/^src\//, '')
    .replace(/\.py$/, '')
    .replace(/\/__init__$/, '')
    .replaceAll('/', '.');
}
