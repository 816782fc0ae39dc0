import { expect, test } from 'vitest';
import type { Draft } from './draft.ts';
import type { Json } from './json.ts';
import { findMigration } from './migrations.ts';
import { openProject } from './project.ts';

const DRAFT = { kind: 'backend', ecosystem: 'node', packageManager: 'npm', dependencies: [] };

function found(files: Readonly<Record<string, string>>, more: object = {}) {
  const snapshot = {
    files: Object.keys(files),
    text: (file: string) => files[file],
    data: (file: string) => JSON.parse(files[file] ?? 'null') as Json | undefined,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the finder looks at
  const project = openProject(snapshot as unknown as Parameters<typeof openProject>[0], '.');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the finder looks at
  return findMigration(project, { ...DRAFT, ...more } as unknown as Draft);
}

const scripts = (lines: object): string => JSON.stringify({ scripts: lines }, null, 1);

test('a script of its own comes first, with the line that holds it', () => {
  const own = found({ 'package.json': scripts({ start: 'x', 'db:migrate': 'node migrate.js' }) });
  expect(own?.command).toBe('npm run db:migrate');
  expect(own?.evidence).toMatchObject({ field: 'migrate', file: 'package.json', line: 4 });
});

test('what asks, resets or makes new migrations is never run', () => {
  for (const line of ['prisma migrate dev', 'prisma migrate reset', 'knex migrate:down'])
    expect(found({ 'package.json': scripts({ migrate: line }) })).toBeNull();
  const prisma = {
    'package.json': scripts({ migrate: 'prisma migrate dev' }),
    'prisma/migrations/1_a/migration.sql': '',
  };
  expect(found(prisma)?.command).toBe('prisma migrate deploy');
});

test.each([
  [{ 'knexfile.js': '' }, { dependencies: ['knex'] }, 'knex migrate:latest'],
  [{ '.sequelizerc': '' }, {}, 'sequelize-cli db:migrate'],
  [
    { 'manage.py': '', 'shop/migrations/0001_initial.py': '' },
    { ecosystem: 'python', packageManager: 'uv' },
    'uv run python manage.py migrate --noinput',
  ],
  [{ 'alembic.ini': '' }, { ecosystem: 'python', packageManager: 'pip' }, 'alembic upgrade head'],
  [{ 'migrations/alembic.ini': '' }, { ecosystem: 'python' }, 'flask db upgrade'],
  [{ 'bin/rails': '', 'db/migrate/2024_a.rb': '' }, { ecosystem: 'ruby' }, 'bin/rails db:migrate'],
  [
    { artisan: '', 'database/migrations/2024_a.php': '' },
    { ecosystem: 'php' },
    'php artisan migrate --force',
  ],
  [{ 'priv/repo/migrations/2024_a.exs': '' }, { ecosystem: 'elixir' }, 'mix ecto.migrate'],
])('%o', (files, more, command) => {
  expect(found(files, more)?.command).toBe(command);
});

test('a worker leaves migrations to the service beside it', () => {
  expect(found({ 'alembic.ini': '' }, { ecosystem: 'python', kind: 'worker' })).toBeNull();
});
