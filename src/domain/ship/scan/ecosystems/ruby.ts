import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeFile, type Source } from '../evidence.ts';
import { firstOf, type Project, topFiles } from '../project.ts';

const WEB = ['rails', 'sinatra', 'hanami', 'roda', 'grape', 'padrino', 'cuba'];
const STATIC = ['jekyll', 'middleman', 'bridgetown'];
const WORKERS: Readonly<Record<string, string>> = {
  sidekiq: 'bundle exec sidekiq',
  resque: 'bundle exec rake resque:work',
  good_job: 'bundle exec good_job start',
  delayed_job: 'bundle exec rake jobs:work',
  delayed_job_active_record: 'bundle exec rake jobs:work',
  shoryuken: 'bundle exec shoryuken -R',
  que: 'bundle exec que',
  sneakers: 'bundle exec rake sneakers:run',
  karafka: 'bundle exec karafka server',
  solid_queue: 'bin/jobs',
};

/** What a Gemfile makes of its directory. */
export function rubyVerdict(project: Project): Verdict | undefined {
  const gemspec = topFiles(project, /\.gemspec$/)[0];
  if (!project.has('Gemfile') && gemspec === undefined) return undefined;
  const gems = gemsOf(project.text('Gemfile') ?? '');
  const site = STATIC.find((name) => gems.includes(name));
  if (site !== undefined) return siteVerdict(project, site);
  const app = webDraft(project, gems, gemspec);
  const workers = workersOf(project, gems);
  if (app !== undefined) return service(app, ...workers);
  if (workers.length > 0 && gemspec === undefined) return service(...workers);
  return leftOver(project, gemspec);
}

/** Gems outside the groups for development and tests. */
export function gemsOf(text: string): readonly string[] {
  let depth = 0;
  return text.split('\n').flatMap((line) => {
    depth = Math.max(0, depth + groupStep(line, depth));
    const gem = /^[ \t]*gem\s+['"]([\w-]+)['"](.*)/.exec(line);
    if (gem === null || depth > 0) return [];
    return /group:?\s*(=>)?\s*\[?:(development|test)/.test(gem[2] ?? '') ? [] : [gem[1] ?? ''];
  });
}

function groupStep(line: string, depth: number): number {
  const group = /^[ \t]*group\s+(.*)\bdo\b/.exec(line)?.[1];
  if (group !== undefined) return depth > 0 || !group.includes(':production') ? 1 : 0;
  return /^[ \t]*end\b/.test(line) ? -1 : 0;
}

function base(
  project: Project,
): Pick<Draft, 'ecosystem' | 'packageManager' | 'install' | 'dependencies' | 'manifest'> {
  return {
    ecosystem: 'ruby',
    packageManager: 'bundler',
    install: 'bundle install',
    dependencies: gemsOf(project.text('Gemfile') ?? ''),
    manifest: 'Gemfile',
  };
}

function webDraft(
  project: Project,
  gems: readonly string[],
  gemspec: string | undefined,
): Draft | undefined {
  const framework =
    WEB.find((name) => gems.includes(name)) ?? (project.has('config.ru') ? 'rack' : undefined);
  // A gem that is built for a framework is no application of it.
  if (framework === undefined || (gemspec !== undefined && !project.has('config.ru')))
    return undefined;
  const manifest = project.source('Gemfile');
  const run = framework === 'rails' ? rails(project, gems) : rack(project, framework, gems);
  if (run === undefined) return undefined;
  return {
    ...base(project),
    kind: 'backend',
    framework: framework === 'rack' ? null : framework,
    build: run.build,
    start: run.start,
    defaultPort: run.port,
    defaultBinding:
      run.start.startsWith('bundle exec ruby') || run.start.includes('rackup')
        ? { by: 'flag', flag: '-p' }
        : { by: 'env', name: 'PORT' },
    entries: run.entries,
    evidence: [
      framework === 'rack'
        ? citeFile('ecosystem', 'ruby', project.source('config.ru').file, 'config-ru')
        : cite('framework', framework, manifest, new RegExp(`['"]${framework}['"]`), 'dependency'),
      citeFile('package_manager', 'bundler', manifest.file, 'gemfile'),
      cite('start', run.start, run.source, /./, run.rule),
    ],
  };
}

interface Run {
  readonly start: string;
  readonly build: string | null;
  readonly port: number;
  readonly entries: readonly string[];
  readonly source: Source;
  readonly rule: string;
}

function rails(project: Project, gems: readonly string[]): Run | undefined {
  const application = firstOf(project, ['config/application.rb', 'config.ru', 'bin/rails']);
  // An engine or a plugin depends on rails without being an application.
  if (application === undefined) return undefined;
  const assets = [
    'sprockets-rails',
    'propshaft',
    'sprockets',
    'vite_rails',
    'webpacker',
    'shakapacker',
  ].some((name) => gems.includes(name));
  return {
    start: 'bundle exec rails server',
    build: assets ? 'bundle exec rails assets:precompile' : null,
    port: 3000,
    entries: ['config/puma.rb', 'config/routes.rb'].filter((file) => project.has(file)),
    source: project.source(application),
    rule: 'rails-application',
  };
}

function rack(project: Project, framework: string, gems: readonly string[]): Run | undefined {
  if (project.has('config.ru')) {
    const puma = gems.includes('puma');
    const start = puma
      ? project.has('config/puma.rb')
        ? 'bundle exec puma -C config/puma.rb'
        : 'bundle exec puma'
      : 'bundle exec rackup';
    return {
      start,
      build: null,
      port: 9292,
      entries: ['config/puma.rb', 'config.ru'].filter((file) => project.has(file)),
      source: project.source('config.ru'),
      rule: 'config-ru',
    };
  }
  const program = project
    .sources(['.rb'])
    .find(({ text }) => new RegExp(String.raw`require\s+['"]${framework}`).test(text));
  if (program === undefined) return undefined;
  const file = project.path === '.' ? program.file : program.file.slice(project.path.length + 1);
  return {
    start: `bundle exec ruby ${file}`,
    build: null,
    port: 4567,
    entries: [file],
    source: program,
    rule: 'ruby-program',
  };
}

function workersOf(project: Project, gems: readonly string[]): readonly Draft[] {
  const name = Object.keys(WORKERS).find((gem) => gems.includes(gem));
  if (name === undefined || (name === 'solid_queue' && !project.has('bin/jobs'))) return [];
  const manifest = project.source('Gemfile');
  const config =
    name === 'sidekiq' && project.has('config/sidekiq.yml') ? ' -C config/sidekiq.yml' : '';
  const loaded =
    name === 'sidekiq' && !project.has('config/application.rb') ? sidekiqProgram(project) : '';
  const start = `${WORKERS[name] ?? name}${loaded}${config}`;
  return [
    {
      ...base(project),
      kind: 'worker',
      framework: name,
      build: null,
      start,
      role: 'worker',
      evidence: [
        cite('framework', name, manifest, new RegExp(`['"]${name}['"]`), 'dependency'),
        citeFile('package_manager', 'bundler', manifest.file, 'gemfile'),
        cite('start', start, manifest, new RegExp(`['"]${name}['"]`), 'queue-gem'),
      ],
    },
  ];
}

// Outside Rails, Sidekiq must be told which file loads the jobs.
function sidekiqProgram(project: Project): string {
  const file = project
    .sources(['.rb'])
    .find(({ text }) => /Sidekiq::(Worker|Job)|Sidekiq\.configure_server/.test(text))?.file;
  if (file === undefined) return '';
  return ` -r ./${project.path === '.' ? file : file.slice(project.path.length + 1)}`;
}

function siteVerdict(project: Project, site: string): Verdict {
  const manifest = project.source('Gemfile');
  const output = site === 'middleman' ? 'build' : site === 'bridgetown' ? 'output' : '_site';
  return service({
    ...base(project),
    kind: 'frontend',
    ecosystem: 'static',
    framework: site,
    build: `bundle exec ${site} build`,
    start: null,
    staticDir: output,
    evidence: [cite('framework', site, manifest, site, 'dependency')],
  });
}

function leftOver(project: Project, gemspec: string | undefined): Verdict {
  if (gemspec === undefined)
    return other(
      'nothing',
      'a Gemfile without a service',
      citeFile('deployable', 'false', project.source('Gemfile').file, 'no-service'),
    );
  const source = project.source(gemspec);
  const tool = /\.executables\s*(<<|=)/.test(source.text);
  return tool
    ? other(
        'cli',
        'a command line tool (the gem installs an executable)',
        cite('deployable', 'false', source, 'executables', 'gem-executable'),
      )
    : other(
        'library',
        'a Ruby gem',
        cite('deployable', 'false', source, 'Gem::Specification', 'gemspec'),
      );
}
