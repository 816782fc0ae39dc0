import type { Draft } from './draft.ts';
import { cite, citeFile } from './evidence.ts';
import type { Evidence } from './lane.ts';
import { firstOf, type Project } from './project.ts';
import { scriptsOf } from './scripts.ts';

/** The command that brings a database to the form that a lane expects, and why we think so. */
export interface Migration {
  readonly command: string;
  readonly evidence: Evidence;
}

/** How a lane's migrations are applied without a question and without making new ones. */
export function findMigration(project: Project, draft: Draft): Migration | null {
  if (draft.kind === 'worker' || draft.kind === 'infra') return null;
  switch (draft.ecosystem) {
    case 'node':
      return ownScript(project, draft) ?? nodeTool(project, draft);
    case 'python':
      return python(project, draft);
    case 'ruby':
      return byFile(
        project,
        /^db\/migrate\/\d+\w*\.rb$/,
        railsCommand(project),
        'rails-migrations',
      );
    case 'php':
      return project.has('artisan')
        ? byFile(project, /^database\/migrations\/.+\.php$/, ARTISAN, 'laravel-migrations')
        : null;
    case 'elixir':
      return byFile(project, /^priv\/repo\/migrations\/\d+.*\.exs$/, 'mix ecto.migrate', 'ecto');
    default:
      return null;
  }
}

const ARTISAN = 'php artisan migrate --force';

const SCRIPTS = [
  'migrate:deploy',
  'db:migrate:deploy',
  'db:migrate',
  'migrate',
  'migrate:up',
  'migrate:latest',
  'migration:run',
  'migrations:run',
] as const;

// These ask questions, make new migrations or take old ones back.
const NOT_TO_BE_TRIED =
  /migrate dev|migrate reset|:reset|rollback|migrate:down|generate|makemigrations|docker|dotenv|--env-file/;

function ownScript(project: Project, draft: Draft): Migration | null {
  const scripts = scriptsOf(project);
  const name = SCRIPTS.find((each) => {
    const line = scripts.get(each);
    return line !== undefined && !NOT_TO_BE_TRIED.test(line);
  });
  if (name === undefined) return null;
  const command = `${draft.packageManager ?? 'npm'} run ${name}`;
  const evidence = cite('migrate', command, project.source('package.json'), `"${name}"`, 'script');
  return { command, evidence };
}

function nodeTool(project: Project, draft: Draft): Migration | null {
  const uses = (name: string): boolean => draft.dependencies.includes(name);
  const knex = firstOf(project, ['knexfile.js', 'knexfile.cjs', 'knexfile.mjs', 'knexfile.ts']);
  return (
    byFile(
      project,
      /^prisma\/migrations\/.+\/migration\.sql$/,
      'prisma migrate deploy',
      'prisma-migrations',
    ) ??
    (knex === undefined || !uses('knex')
      ? null
      : made('knex migrate:latest', project, knex, 'knexfile')) ??
    (project.has('.sequelizerc')
      ? made('sequelize-cli db:migrate', project, '.sequelizerc', 'sequelizerc')
      : null)
  );
}

const RUNNERS: Readonly<Record<string, string>> = {
  uv: 'uv run ',
  poetry: 'poetry run ',
  pipenv: 'pipenv run ',
  pdm: 'pdm run ',
};

function python(project: Project, { packageManager }: Draft): Migration | null {
  const run = RUNNERS[packageManager ?? ''] ?? '';
  const django = /(^|\/)migrations\/\d{4}_\w+\.py$/;
  if (project.has('manage.py'))
    return byFile(project, django, `${run}python manage.py migrate --noinput`, 'django-migrations');
  if (project.has('migrations/alembic.ini'))
    return made(`${run}flask db upgrade`, project, 'migrations/alembic.ini', 'flask-migrate');
  return project.has('alembic.ini')
    ? made(`${run}alembic upgrade head`, project, 'alembic.ini', 'alembic')
    : null;
}

const railsCommand = (project: Project): string =>
  project.has('bin/rails') ? 'bin/rails db:migrate' : 'bundle exec rails db:migrate';

function byFile(
  project: Project,
  pattern: RegExp,
  command: string,
  rule: string,
): Migration | null {
  const file = project.files.find((each) => pattern.test(each));
  return file === undefined ? null : made(command, project, file, rule);
}

const made = (command: string, project: Project, file: string, rule: string): Migration => ({
  command,
  evidence: citeFile('migrate', command, project.source(file).file, rule),
});
