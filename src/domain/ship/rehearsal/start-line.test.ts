import { expect, test } from 'vitest';
import { startLine } from './start-line.ts';

const FLAG = { by: 'flag', flag: '--port', host: '--host' } as const;
const line = (start: string, more: Omit<Parameters<typeof startLine>[0], 'start'> = {}) =>
  startLine({ start, ...more }, 4711);

test.each([
  ['uvicorn main:app', null, 'uvicorn main:app --port 4711'],
  [
    'uv run uvicorn main:app --host 0.0.0.0',
    null,
    'uv run uvicorn main:app --host 0.0.0.0 --port 4711',
  ],
  ['uvicorn main:app --port 8000', null, 'uvicorn main:app --port 4711'],
  ['uvicorn main:app --port=8000', null, 'uvicorn main:app --port=4711'],
  ['flask --app web run', null, 'flask --app web run --port 4711'],
  ['php artisan serve', FLAG, 'php artisan serve --port 4711'],
  ['bin/rails server', { by: 'flag', flag: '-p' }, 'bin/rails server -p 4711'],
  ['bin/rails server -p 3000', { by: 'flag', flag: '-p' }, 'bin/rails server -p 4711'],
  ['hypercorn app:app', { by: 'flag', flag: '--bind' }, 'hypercorn app:app --bind 127.0.0.1:4711'],
] as const)('%s is told its port', (start, portBinding, told) => {
  expect(line(start, { portBinding })).toEqual({ line: told, env: {} });
});

test('a package script is told behind its own words, as its runner wants', () => {
  const given = { portBinding: FLAG };
  expect(line('vite preview', { ...given, startVia: 'npm run start' })?.line).toBe(
    'npm run start -- --port 4711',
  );
  expect(line('vite preview', { ...given, startVia: 'pnpm run start' })?.line).toBe(
    'pnpm run start --port 4711',
  );
  // What stands inside the script cannot be changed from outside.
  expect(line('vite preview --port 80', { ...given, startVia: 'npm run start' })?.line).toBe(
    'npm run start',
  );
});

test('a variable of another name is set, a fixed port is left alone', () => {
  expect(line('gunicorn web:app', { portBinding: { by: 'env', name: 'PORT' } })).toEqual({
    line: 'gunicorn web:app',
    env: { PORT: '4711' },
  });
  expect(line('java -jar a.jar', { portBinding: { by: 'env', name: 'SERVER_PORT' } })?.env).toEqual(
    { SERVER_PORT: '4711' },
  );
  expect(line('node a.js', { portBinding: { by: 'fixed' } })).toEqual({
    line: 'node a.js',
    env: {},
  });
  expect(startLine({ start: 'node a.js' }, null)).toEqual({ line: 'node a.js', env: {} });
  expect(startLine({ start: null }, 1)).toBeNull();
});
