import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findSandbox } from '../../src/adapters/rehearsal/isolation.ts';
import { leftovers, rehearse } from './rehearse-fixture.ts';

const { isolation } = await findSandbox(process.env['PATH'] ?? '');
const hasPostgres = canRun('psql', ['--version']);
const hasRedis = canRun('redis-server', ['--version']);

test('DC-21 only named variables reach the service and its home is a scratch directory', async () => {
  vi.stubEnv('CANARY_SECRET', 'do-not-pass');
  vi.stubEnv('NODE_OPTIONS', '--no-deprecation');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { report, output, base } = await rehearse('healthy', {
    lane: { start: 'env | sort; exec node app.js' },
    env: { GREETING: 'hi' },
  });
  expect(report.verdict.status).toBe('healthy');
  expect(output).toContain('GREETING=hi\n');
  expect(output).toContain('NODE_ENV=production\n');
  expect(output).toMatch(new RegExp(`^HOME=${base}/convoy-rehearsal-\\w+/home$`, 'm'));
  expect(output).not.toContain('CANARY_SECRET');
  expect(output).not.toContain('NODE_OPTIONS');
});

test('a variable that is needed and missing shows as a failure that names it', async () => {
  const { report } = await rehearse('needs-env');
  expect(report.verdict).toMatchObject({ status: 'failed', step: 'start', exit: 1 });
  expect(report.logTail).toContain('GREETING is not set');
});

test('DC-27 given values are redacted from the output', async () => {
  const { report, output } = await rehearse('needs-env', { env: { GREETING: 's3cr3t-greeting' } });
  expect(report.verdict.status).toBe('healthy');
  expect(output).toContain('greeting with [redacted]');
  expect(JSON.stringify(report)).not.toContain('s3cr3t-greeting');
});

test('DC-27 a flood of output is bounded and redacted', async () => {
  const { report, output, events } = await rehearse('flood', {
    env: { API_TOKEN: 'a-token-of-no-known-form' },
  });
  expect(report.verdict.status).toBe('healthy');
  expect(report.logTail.length).toBeLessThanOrEqual(32 * 1024);
  expect(report.logTail).toContain('last line');
  expect(output.length).toBeLessThan(400 * 1024);
  expect(events.length).toBeLessThan(500);
  expect(report.logTail + output).not.toMatch(/a-token-of-no-known-form|hunter2hunter2/);
});

test('DC-25 hooks around the build run, and only the start is in production', async () => {
  const { report } = await rehearse('hooks', {
    lane: { install: 'npm install', build: 'node build.js', buildVia: 'npm run build' },
  });
  expect(report.verdict.status).toBe('healthy');
  expect(report.steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual(
    ['copy', 'install', 'build', 'start', 'probe', 'load', 'teardown'].map(
      (step) => `${step} done`,
    ),
  );
  expect(report.logTail).toBe(
    'built after pre with NODE_ENV=undefined post; started with NODE_ENV=production\n',
  );
});

test('a build that fails ends the rehearsal there', async () => {
  const { report, base } = await rehearse('healthy', {
    lane: { build: 'echo "cannot find module left-pad" >&2; exit 4' },
  });
  expect(report.verdict).toMatchObject({ status: 'failed', step: 'build', exit: 4 });
  expect(report.logTail).toBe('cannot find module left-pad\n');
  expect(report.readiness).toBeNull();
  expect(leftovers(base)).toEqual([]);
});

test('a build that does not end is stopped with everything it started', async () => {
  const { report, base } = await rehearse('healthy', {
    lane: { build: 'sleep 100 & sleep 100' },
    timeouts: { buildMs: 300 },
  });
  expect(report.verdict).toMatchObject({ status: 'failed', step: 'build', exit: null });
  expect(report.verdict).toHaveProperty('why', expect.stringContaining('did not end'));
  expect(leftovers(base)).toEqual([]);
});

test('a missing toolchain is said and nothing is run', async () => {
  const { report } = await rehearse('healthy', {
    lane: { install: 'mix deps.get && cargo fetch', start: 'node app.js' },
    path: '/usr/bin:/bin',
  });
  expect(report.verdict).toEqual({ status: 'missing-toolchain', missing: ['mix', 'cargo'] });
  expect(report.steps.map(({ step }) => step)).toEqual(['teardown']);
});

test('without isolation an untrusted repository is not run', async () => {
  const { report } = await rehearse('healthy', {
    trust: { repository: false },
    path: '/nonexistent',
  });
  expect(report.isolation).toBe('process group only');
  expect(report.verdict).toMatchObject({ status: 'errored' });
  expect(report.verdict).toHaveProperty('why', expect.stringContaining('not trusted'));
});

test.skipIf(isolation === 'process group only')(
  'DC-21 in isolation the real home is unreadable and the system read-only',
  async () => {
    const secrets = mkdtempSync(join(homedir(), 'convoy-test-'));
    onTestFinished(() => rmSync(secrets, { recursive: true, force: true }));
    const SECRET_FILE = join(secrets, 'key');
    writeFileSync(SECRET_FILE, 'private');
    const written = `/var/tmp/convoy-test-${process.pid}`;
    onTestFinished(() => rmSync(written, { force: true }));
    const { report } = await rehearse('reads-home', {
      lane: { start: `touch ${written}; exec node app.js` },
      env: { SECRET_FILE },
    });
    expect(report.isolation).toBe(isolation);
    expect(report.verdict.status).toBe('healthy');
    expect(report.logTail).toContain('secret ENOENT');
    expect(report.logTail).not.toContain('private');
    expect(report.logTail).toMatch(/touch: .*Read-only file system/);
  },
);

test.skipIf(!hasPostgres)(
  'DC-26 migrations run on a throw-away Postgres that the service then uses',
  async () => {
    const { report, base } = await rehearse('healthy', {
      lane: {
        datastores: ['postgres'],
        migrate: 'psql "$DATABASE_URL" -c "create table harbour (ship text)"',
        start:
          'psql "$DATABASE_URL" -tAc "select \'ships: \' || count(*) from harbour"; exec node app.js',
      },
    });
    expect(report.verdict.status).toBe('healthy');
    expect(report.migrations).toBe('applied');
    expect(report.datastores).toMatchObject([{ name: 'postgres', state: 'started' }]);
    expect(report.logTail).toContain('ships: 0\n');
    expect(leftovers(base)).toEqual([]);
  },
);

test.skipIf(!hasPostgres)('DC-26 a migration that fails is a failure of that step', async () => {
  const { report } = await rehearse('healthy', {
    lane: {
      datastores: ['postgres'],
      migrate: 'psql "$DATABASE_URL" -c "create tabel harbour ()"',
    },
  });
  expect(report.verdict).toMatchObject({ status: 'failed', step: 'migrate', exit: 1 });
  expect(report.migrations).toBe('failed');
  expect(report.logTail).toContain('syntax error');
});

test.skipIf(!hasRedis)('a throw-away Redis is there for a service that needs one', async () => {
  const { report, base } = await rehearse('redis', { lane: { datastores: ['redis'] } });
  expect(report.verdict.status).toBe('healthy');
  expect(report.logTail).toContain('redis says +PONG');
  expect(leftovers(base)).toEqual([]);
});

test('a data store that this machine lacks is named, not blamed on the service', async () => {
  const { report } = await rehearse('crash', { lane: { datastores: ['mongodb'] } });
  expect(report.verdict).toEqual({ status: 'missing-toolchain', missing: ['mongodb'] });
  expect(report.datastores).toMatchObject([{ name: 'mongodb', state: 'missing' }]);
});

function canRun(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`${program} is not installed: its tests are skipped\n`);
    return false;
  }
}
