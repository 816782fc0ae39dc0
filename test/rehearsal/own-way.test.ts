import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { leftovers, rehearse, temporaryDirectory } from './rehearse-fixture.ts';

const listen = (port: string, says = `'ok'`): string =>
  `require('node:http').createServer((_, answer) => answer.end(${says})).listen(${port}, '127.0.0.1');\n`;

function project(files: Readonly<Record<string, string>>): string {
  const root = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

test('a server that takes its port only as a flag gets it as a flag', async () => {
  const root = project({
    'app.js': `const at = process.argv.indexOf('--port');\n${listen('Number(process.argv[at + 1])')}`,
  });
  const { report } = await rehearse(root, {
    lane: { start: 'node app.js', portBinding: { by: 'flag', flag: '--port', host: '--host' } },
  });
  expect(report.verdict.status).toBe('healthy');
  expect(report.readiness?.portMismatch).toBe(false);
  expect(report.steps.find(({ step }) => step === 'start')?.command).toMatch(
    /^node app\.js --port \d+$/,
  );
});

test('one that reads another variable than PORT finds its port there', async () => {
  const root = project({ 'app.js': listen('Number(process.env.SERVER_PORT)') });
  const { report } = await rehearse(root, {
    lane: { portBinding: { by: 'env', name: 'SERVER_PORT' } },
  });
  expect(report.readiness?.portMismatch).toBe(false);
});

test('variables that a start command sets for itself are set, and given ones win', async () => {
  const root = project({
    'app.js': `console.log('mode', process.env.MODE, process.env.SIZE);\n${listen('process.env.PORT')}`,
  });
  const { report } = await rehearse(root, {
    lane: { startEnv: { MODE: 'fast', SIZE: 'small' } },
    env: { SIZE: 'large' },
  });
  expect(report.logTail).toContain('mode fast large');
});

test('DC-26 migrations are tried on a SQLite file of the copy', async () => {
  const root = project({
    'migrate.js': `const { DatabaseSync } = require('node:sqlite');\nnew DatabaseSync('shop.db').exec('create table ship (name text)');\n`,
    'app.js': `const { DatabaseSync } = require('node:sqlite');\nconst [row] = new DatabaseSync('shop.db').prepare('select count(*) as n from ship').all();\nconsole.log('ships', row.n);\n${listen('process.env.PORT')}`,
  });
  const { report } = await rehearse(root, {
    lane: {
      datastores: ['sqlite'],
      // The Node of these tests, which has SQLite built in.
      migrate: `${process.execPath} migrate.js`,
      start: `${process.execPath} app.js`,
    },
  });
  expect(report.verdict.status).toBe('healthy');
  expect(report.migrations).toBe('applied');
  expect(report.logTail).toContain('ships 0');
});

test('DC-26 a database that was given is never migrated', async () => {
  const root = project({ 'app.js': listen('process.env.PORT') });
  const { report } = await rehearse(root, {
    lane: { datastores: ['postgres'], migrate: 'touch migrated && exit 1' },
    env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
  });
  expect(report.verdict.status).toBe('healthy');
  expect(report.migrations).toBe('none');
  expect(report.notes.join()).toContain('a database that was given is not touched');
});

test('DC-26 where no throw-away database can be had, the migrations are said to be untried', async () => {
  const root = project({ 'app.js': listen('process.env.PORT') });
  const { report } = await rehearse(root, {
    lane: { datastores: ['mysql'], migrate: 'exit 1' },
  });
  expect(report.verdict.status).toBe('healthy');
  expect(report.notes.join()).toContain('there is no throw-away mysql');
});

test('files that Convoy would write stand in the copy, and nowhere else', async () => {
  const read = `require('node:fs').readFileSync('deploy/own.txt', 'utf8')`;
  const root = project({ 'app.js': `console.log(${read});\n${listen('process.env.PORT')}` });
  const { report } = await rehearse(root, {
    overlay: [{ path: 'deploy/own.txt', content: 'made by Convoy' }],
  });
  expect(report.logTail).toContain('made by Convoy');
  expect(leftovers(root)).toEqual(['app.js']);
});

test.each(['out/own.txt', '../own.txt'])(
  'DC-30 a file never leaves the copy by %s',
  async (path) => {
    const outside = temporaryDirectory();
    const root = project({ 'app.js': listen('process.env.PORT') });
    symlinkSync(outside, join(root, 'out'));
    const { report } = await rehearse(root, { overlay: [{ path, content: 'escaped' }] });
    expect(report.verdict).toMatchObject({ status: 'errored', step: 'copy' });
    expect(leftovers(outside)).toEqual([]);
  },
);

test('the secrets file is not copied, whether git ignores it or not', async () => {
  const look = `require('node:fs').existsSync('.env.convoy-secrets')`;
  const root = project({
    'app.js': `console.log('there', ${look});\n${listen('process.env.PORT')}`,
    '.env.convoy-secrets': 'KEY=value\n',
  });
  const { report } = await rehearse(root);
  expect(report.logTail).toContain('there false');
});
