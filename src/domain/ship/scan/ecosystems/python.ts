import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeAt, citeFile, type Source } from '../evidence.ts';
import type { Evidence } from '../lane.ts';
import { firstOf, type Project } from '../project.ts';
import { openPython, type PythonPackage } from './python-package.ts';
import { type PythonStart, webStart } from './python-start.ts';

const WEB = [
  'django',
  'fastapi',
  'flask',
  'starlette',
  'litestar',
  'sanic',
  'aiohttp',
  'tornado',
  'bottle',
  'falcon',
  'quart',
  'streamlit',
  'gradio',
  'pyramid',
  'robyn',
  'reflex',
];
const WORKERS = [
  'celery',
  'rq',
  'dramatiq',
  'arq',
  'huey',
  'apscheduler',
  'schedule',
  'discord.py',
  'python-telegram-bot',
  'aiogram',
  'pika',
  'aio-pika',
  'kafka-python',
  'aiokafka',
  'confluent-kafka',
  'nats-py',
];

/** What Python's files make of a directory. */
export function pythonVerdict(project: Project): Verdict | undefined {
  const pkg = openPython(project);
  if (pkg === undefined) return undefined;
  const framework = webFramework(pkg);
  const start = framework === undefined ? undefined : webStart(pkg, framework.value);
  const workers = queueWorkers(pkg);
  if (framework !== undefined && start !== undefined)
    return service(webDraft(pkg, framework, start), ...workers);
  if (workers.length > 0) return service(...workers);
  return plainServer(pkg) ?? unstarted(pkg, framework) ?? leftOver(pkg);
}

/** A web framework in an application whose entry we could not find: a lane that needs a start command. */
function unstarted(pkg: PythonPackage, framework: Evidence | undefined): Verdict | undefined {
  const packaged = pkg.scripts.length > 0 || /\[build-system\]|\bsetup\(/.test(pkg.list.text);
  if (framework === undefined || packaged || pkg.project.sources(['.py']).length === 0)
    return undefined;
  return service({
    ...base(pkg),
    kind: 'backend',
    framework: framework.value,
    build: null,
    start: null,
    evidence: [framework, pkg.evidence],
  });
}

function webFramework(pkg: PythonPackage): Evidence | undefined {
  const { project } = pkg;
  if (project.has('manage.py') && /django/i.test(project.text('manage.py') ?? ''))
    return cite('framework', 'django', project.source('manage.py'), /django/i, 'manage-py');
  const found = WEB.find((name) => pkg.dependencies.has(name) && usesIt(project, name));
  const source = pkg.list;
  if (found !== undefined)
    return cite('framework', found, source, new RegExp(found, 'i'), 'dependency');
  // Without a list of dependencies the imports have to speak.
  for (const { file, text } of project.sources(['.py'])) {
    const match =
      /^[ \t]*(?:from|import)\s+(django|fastapi|flask|starlette|litestar|sanic|bottle|falcon|quart|streamlit)\b/m.exec(
        text,
      );
    if (match !== null && pkg.dependencies.size === 0)
      return citeAt('framework', match[1] ?? '', { file, text }, match.index, 'import');
  }
  return undefined;
}

// aiohttp and tornado are as often used as clients.
function usesIt(project: Project, name: string): boolean {
  // Django without manage.py is a package for somebody else's site.
  if (name === 'django') return false;
  if (name !== 'aiohttp' && name !== 'tornado') return true;
  return project
    .sources(['.py'])
    .some(({ text }) => /web\.Application\(|run_app\(|tornado\.web/.test(text));
}

function base(
  pkg: PythonPackage,
): Pick<
  Draft,
  'ecosystem' | 'packageManager' | 'install' | 'installPath' | 'dependencies' | 'manifest'
> {
  return {
    ecosystem: 'python',
    packageManager: pkg.manager,
    install: pkg.install,
    installPath: pkg.installPath,
    dependencies: [...pkg.dependencies],
    manifest: pkg.manifest,
  };
}

function webDraft(pkg: PythonPackage, framework: Evidence, start: PythonStart): Draft {
  const statics = collectStatic(pkg, framework.value);
  return {
    ...base(pkg),
    kind: 'backend',
    framework: framework.value,
    build: statics === undefined ? null : `${pkg.prefix}python manage.py collectstatic --noinput`,
    start: start.command,
    entries: start.entries,
    portInCode: start.portInCode,
    defaultPort: start.port,
    defaultBinding: start.binding,
    ...(framework.value === 'streamlit' ? { defaultHealth: '/_stcore/health' } : {}),
    evidence: [
      framework,
      pkg.evidence,
      start.evidence,
      ...(statics === undefined ? [] : [statics]),
    ],
  };
}

function collectStatic(pkg: PythonPackage, framework: string): Evidence | undefined {
  if (framework !== 'django') return undefined;
  const settings = pkg.project
    .sources(['.py'])
    .find(({ text }) => /^[ \t]*STATIC_ROOT\s*=/m.test(text));
  return settings && cite('build', 'collectstatic', settings, /^[ \t]*STATIC_ROOT/m, 'static-root');
}

/** Queue workers and schedulers that live beside, or instead of, a web process. */
function queueWorkers(pkg: PythonPackage): readonly Draft[] {
  const name = WORKERS.find((one) => pkg.dependencies.has(one));
  if (name === undefined) return [];
  const sources = pkg.project.sources(['.py']);
  const worker = name === 'celery' ? celery(pkg, sources) : loop(pkg, name, sources);
  return worker === undefined ? [] : worker;
}

function celery(pkg: PythonPackage, sources: readonly Source[]): readonly Draft[] | undefined {
  const app = sources.find(({ text }) => /\bCelery\(/.test(text));
  if (app === undefined) return undefined;
  const module = celeryModule(pkg.project, app);
  const beat = sources.find(({ text }) =>
    /CELERY_BEAT_SCHEDULE|beat_schedule|add_periodic_task|crontab\(/.test(text),
  );
  const draft = (role: string, rest: string, evidence: Evidence): Draft => ({
    ...base(pkg),
    kind: 'worker',
    framework: 'celery',
    build: null,
    start: `${pkg.prefix}celery -A ${module} ${rest}`,
    role,
    evidence: [
      cite('framework', 'celery', pkg.list, /celery/i, 'dependency'),
      pkg.evidence,
      evidence,
    ],
  });
  const worker = draft(
    'worker',
    'worker',
    cite('start', `celery -A ${module} worker`, app, /\bCelery\(/, 'celery-app'),
  );
  if (beat === undefined) return [worker];
  const schedule = cite(
    'schedule',
    'celery beat',
    beat,
    /CELERY_BEAT_SCHEDULE|beat_schedule|add_periodic_task|crontab\(/,
    'celery-beat',
  );
  return [worker, draft('beat', 'beat', schedule)];
}

// Celery looks for its application inside the module, and for `proj/celery.py` inside the package.
function celeryModule(project: Project, app: Source): string {
  const own = project.path === '.' ? app.file : app.file.slice(project.path.length + 1);
  const module = own
    .replace(/^src\//, '')
    .replace(/\.py$/, '')
    .replaceAll('/', '.');
  return module.replace(/\.(celery|__init__)$/, '');
}

function loop(
  pkg: PythonPackage,
  name: string,
  sources: readonly Source[],
): readonly Draft[] | undefined {
  const { project } = pkg;
  const app = sources.find(
    ({ text }) =>
      new RegExp(String.raw`^[ \t]*(from|import)\s+(${moduleOf(name)})\b`, 'm').test(text) &&
      /__main__|\.run\(|start\(|run_forever|run_polling|start_polling|\bwhile True\b|broker|WorkerSettings|start_consuming/.test(
        text,
      ),
  );
  if (app === undefined) return undefined;
  const web = webFramework(pkg) !== undefined;
  if (web && !['rq', 'dramatiq', 'arq', 'huey'].includes(name)) return undefined;
  const file = project.path === '.' ? app.file : app.file.slice(project.path.length + 1);
  const module = file
    .replace(/^src\//, '')
    .replace(/\.py$/, '')
    .replaceAll('/', '.');
  const settings = /class\s+(\w*Settings)\b/.exec(app.text)?.[1] ?? 'WorkerSettings';
  const commands: Readonly<Record<string, string>> = {
    rq: 'rq worker',
    dramatiq: `dramatiq ${module}`,
    arq: `arq ${module}.${settings}`,
    huey: `huey_consumer ${module}.huey`,
  };
  const command = pkg.prefix + (commands[name] ?? `python ${file}`);
  return [
    {
      ...base(pkg),
      kind: 'worker',
      framework: name,
      build: null,
      start: command,
      role: 'worker',
      evidence: [
        cite('framework', name, pkg.list, new RegExp(name, 'i'), 'dependency'),
        pkg.evidence,
        cite('start', command, app, /import/, 'worker-module'),
      ],
    },
  ];
}

const moduleOf = (name: string): string =>
  ({
    'discord.py': 'discord',
    'python-telegram-bot': 'telegram',
    'aio-pika': 'aio_pika',
    'kafka-python': 'kafka',
    'confluent-kafka': 'confluent_kafka',
    'nats-py': 'nats',
  })[name] ?? name;

/** A program on the standard library's own server. */
function plainServer(pkg: PythonPackage): Verdict | undefined {
  const { project } = pkg;
  const app = project
    .sources(['.py'])
    .find(({ text }) =>
      /\b(HTTPServer|ThreadingHTTPServer|make_server|serve_forever|grpc\.server)\b/.test(text),
    );
  if (app === undefined) return undefined;
  const file = project.path === '.' ? app.file : app.file.slice(project.path.length + 1);
  const command = `${pkg.prefix}python ${file}`;
  return service({
    ...base(pkg),
    kind: 'backend',
    framework: null,
    build: null,
    start: command,
    entries: [file],
    defaultPort: 8000,
    evidence: [
      pkg.evidence,
      cite(
        'start',
        command,
        app,
        /HTTPServer|make_server|serve_forever|grpc\.server/,
        'listening-program',
      ),
    ],
  });
}

function leftOver(pkg: PythonPackage): Verdict | undefined {
  const { project } = pkg;
  const source = pkg.list;
  if (pkg.scripts.length > 0)
    return other(
      'cli',
      'a command line tool (pyproject.toml installs a command and nothing listens)',
      cite('deployable', 'false', project.source('pyproject.toml'), /scripts\]/, 'cli-scripts'),
    );
  const tool = project
    .sources(['.py'])
    .find(({ text }) => /\b(argparse|typer|click|fire)\b/.test(text) && text.includes('__main__'));
  if (tool !== undefined)
    return other(
      'cli',
      'a command line tool (its program parses arguments and nothing listens)',
      cite('deployable', 'false', tool, /argparse|typer|click|fire/, 'cli-arguments'),
    );
  const built = /\[build-system\]|\bsetup\(|\[metadata\]/.test(
    source.text + (project.text('setup.py') ?? '') + (project.text('setup.cfg') ?? ''),
  );
  if (built)
    return other(
      'library',
      'a library (it is packaged and nothing starts)',
      cite(
        'deployable',
        'false',
        source,
        /\[build-system\]|setup\(|\[project\]|\[metadata\]/,
        'library-package',
      ),
    );
  const script = firstOf(project, ['main.py', 'app.py', 'worker.py', 'bot.py', 'run.py']);
  if (
    script !== undefined &&
    /while True|run_forever|\.run\(|asyncio\.run/.test(project.text(script) ?? '')
  )
    return script === undefined ? undefined : endless(pkg, script);
  return other(
    'nothing',
    'Python files without a service',
    citeFile('deployable', 'false', source.file, 'no-service'),
  );
}

function endless(pkg: PythonPackage, script: string): Verdict {
  const command = `${pkg.prefix}python ${script}`;
  return service({
    ...base(pkg),
    kind: 'worker',
    framework: null,
    build: null,
    start: command,
    entries: [script],
    evidence: [
      pkg.evidence,
      cite(
        'start',
        command,
        pkg.project.source(script),
        /while True|run_forever|\.run\(/,
        'endless-program',
      ),
    ],
  });
}
