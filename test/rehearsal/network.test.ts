import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { leftovers, rehearse } from './rehearse-fixture.ts';

const canEnclose = canRun('unshare', ['--net', 'true']);
const hasPostgres = canRun('psql', ['--version']);

test('DC-21 a service reaches other services of the machine unless that is blocked', async () => {
  const { report } = await rehearse('calls-out', { env: { OUTSIDE: await outside() } });
  expect(report.verdict.status).toBe('healthy');
  expect(report.logTail).toBe('reached 200\n');
});

test.skipIf(!canEnclose)(
  'DC-21 with the network blocked it reaches nothing but itself',
  async () => {
    const { report, base } = await rehearse('calls-out', {
      env: { OUTSIDE: await outside() },
      trust: { repository: true, network: 'blocked' },
    });
    expect(report.logTail).toBe('not reached ECONNREFUSED\n');
    expect(report.verdict.status).toBe('healthy');
    expect(report.load).toMatchObject({ samples: 60, good: 60 });
    expect(report.teardown).toMatchObject({ endedWhenAsked: true, left: [] });
    expect(leftovers(base)).toEqual([]);
  },
);

test.skipIf(!canEnclose || !hasPostgres)(
  'DC-21 with the network blocked its throw-away database is still there',
  async () => {
    const { report, base } = await rehearse('healthy', {
      lane: {
        datastores: ['postgres'],
        start: 'psql "$DATABASE_URL" -tAc "select \'ahoy\'"; exec node app.js',
      },
      trust: { repository: true, network: 'blocked' },
    });
    expect(report.logTail).toBe('ahoy\nlistening\n');
    expect(report.verdict.status).toBe('healthy');
    expect(leftovers(base)).toEqual([]);
  },
);

async function outside(): Promise<string> {
  const server = createServer((_request, response) => response.end('outside'));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function canRun(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`${program} does not work here: its tests are skipped\n`);
    return false;
  }
}
