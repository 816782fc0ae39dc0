import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSecretsFile } from '../../src/adapters/plans/secrets-file.ts';
import { driveRun } from '../../src/engine/ship/drive-run.ts';
import { decideOn } from '../../src/ledger/approvals.ts';
import { approvalList } from '../../src/ledger/queries/approval-list.ts';
import { changeRun } from '../../src/ledger/runs.ts';
import { convoyIn } from './cli.ts';
import { placeOfTest } from '../postgres/ledger-of-test.ts';
import { openRun, openWorld, readRun } from './rig.ts';
import { git, repository, SERVICE, tempDir, write } from './temp.ts';

const VALUE = 'v3ry-s3cret-0123456789';
const FILE = '.env.convoy-secrets';

/** A service that needs API_TOKEN, prints what it knows, and would leak what it finds. */
const LEAKY = {
  ...SERVICE,
  '.gitignore': `${FILE}\n`,
  'server.js': [
    "import { createServer } from 'node:http';",
    "import { existsSync } from 'node:fs';",
    'const token = process.env.API_TOKEN;',
    `console.log('token', token, existsSync('${FILE}'), process.argv.join(' '));`,
    'createServer((request, response) => {',
    "  if (request.url === '/health') response.end(String(token));",
    "  else response.writeHead(404).end('none');",
    '}).listen(Number(process.env.PORT ?? 3000));',
    '',
  ].join('\n'),
};

function withSecrets(root: string, mode = 0o600): string {
  const repo = repository(root, LEAKY);
  write(repo, { [FILE]: `API_TOKEN="${VALUE}"\nUNUSED=other-v4lue-987654\n` });
  chmodSync(join(repo, FILE), mode);
  return repo;
}

test('the file is read only where nobody else can see it', async () => {
  using temp = tempDir();
  const repo = withSecrets(join(temp.path, 'app'));
  const look = async () => {
    const seen = await readSecretsFile(repo, process.env);
    return seen.kind === 'refused' ? seen.reason : seen.kind;
  };
  expect(await readSecretsFile(repo, process.env)).toEqual({
    kind: 'read',
    values: { API_TOKEN: VALUE, UNUSED: 'other-v4lue-987654' },
  });
  chmodSync(join(repo, FILE), 0o640);
  expect(await look()).toContain('chmod 600');
  chmodSync(join(repo, FILE), 0o600);
  write(repo, { '.gitignore': '' });
  expect(await look()).toContain('not ignored');
  git(repo, 'add', '--force', FILE);
  expect(await look()).toContain('tracked');
  const other = repository(join(temp.path, 'other'), SERVICE);
  symlinkSync(join(repo, FILE), join(other, FILE));
  expect((await readSecretsFile(other, process.env)).kind).toBe('refused');
  expect((await readSecretsFile(join(temp.path, 'none'), process.env)).kind).toBe('absent');
});

test('a run asks before it hands secrets over, by name', async () => {
  using temp = tempDir();
  const world = await openWorld(temp.path, await placeOfTest(temp.path));
  const files = { ...LEAKY };
  const repo = withSecrets(join(temp.path, 'repo'));
  write(repo, { 'notes.txt': 'newer' });
  const { run, plan } = await openRun(temp.path, world, {}, files);
  expect(plan.staging.lanes).toMatchObject([{ lane: 'hello', staged: ['API_TOKEN'] }]);
  expect(plan.approvals.map(({ kind }) => kind)).toEqual(['open_pr', 'stage_secrets']);
  const drive = async () => {
    await driveRun(world, run, { wait: false, signal: new AbortController().signal });
    return readRun(world.ledger, run);
  };
  const answer = async (kind: string) => {
    const all = await approvalList(world.ledger.db, { subject: run, limit: 10 });
    const asked = all.find((one) => one.kind === kind && one.status === 'pending');
    const decision = {
      verdict: 'approve',
      channel: 'cli',
      reason: null,
      subjectHash: null,
    } as const;
    await world.ledger.write('operator:ada', (tx) => decideOn(tx, asked?.id ?? '', decision));
    return asked;
  };
  expect((await drive()).waiting?.kind).toBe('open_pr');
  await answer('open_pr');
  expect((await drive()).waiting).toMatchObject({ kind: 'stage_secrets', lane: 'hello' });
  expect(await world.secrets.read(plan.repo.path, 'hello')).toEqual({});
  const asked = await answer('stage_secrets');
  expect(asked?.details).toEqual({ platform: 'local', file: FILE, names: ['API_TOKEN'] });
  expect((await drive()).status).toBe('succeeded');
  expect(await world.secrets.read(plan.repo.path, 'hello')).toEqual({ API_TOKEN: VALUE });
  expect(await world.secrets.holds(plan.repo.path, 'hello', { API_TOKEN: 'newer' })).toBe(false);
  const [kept] = readdirSync(join(temp.path, 'secrets'));
  expect(statSync(join(temp.path, 'secrets', kept ?? '')).mode & 0o777).toBe(0o600);
  const events = await world.ledger.db.selectFrom('event').select('data').execute();
  expect(events.some(({ data }) => data.includes(VALUE))).toBe(false);
  await world.ledger.close();
});

test('a run whose file is gone or shown to others pauses before anything is handed over', async () => {
  using temp = tempDir();
  const world = await openWorld(temp.path, await placeOfTest(temp.path));
  const repo = withSecrets(join(temp.path, 'repo'));
  write(repo, { 'notes.txt': 'newer' });
  const { run, plan } = await openRun(temp.path, world, { autoApprove: true }, LEAKY);
  chmodSync(join(repo, FILE), 0o644);
  await driveRun(world, run, { wait: false, signal: new AbortController().signal });
  const rested = await readRun(world.ledger, run);
  expect(rested).toMatchObject({ status: 'paused', reason: expect.stringContaining('chmod 600') });
  expect(await world.secrets.read(plan.repo.path, 'hello')).toEqual({});
  chmodSync(join(repo, FILE), 0o600);
  await world.ledger.write('test', (tx) =>
    changeRun(tx, run, { type: 'resume', options: rested.options, fresh: false }),
  );
  await driveRun(world, run, { wait: false, signal: new AbortController().signal });
  expect((await readRun(world.ledger, run)).status).toBe('succeeded');
  await world.ledger.close();
});

test('DC-14 a secrets file that git would carry blocks the apply before anything happens', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = withSecrets(join(temp.path, 'app'), 0o644);
  const planned = await convoy.json(repo, 'plan', '.', '--save', '--platform', 'local');
  expect(planned.body.plan.risks).toMatchObject([{ level: 'block', code: 'secrets-exposed' }]);
  const before = git(repo, 'for-each-ref');
  const applied = await convoy.json(repo, 'apply', planned.body.plan.id, '--yes');
  expect(applied.code).toBe(1);
  expect(applied.body.error).toMatchObject({ code: 'plan_blocked' });
  expect((await convoy.json(repo, 'runs')).body.runs).toEqual([]);
  expect(git(repo, 'for-each-ref')).toBe(before);
});

test('DC-27 a known secret is found nowhere after a whole run', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = withSecrets(join(temp.path, 'app'));
  const given = 'g1ven-by-hand-445566';
  write(temp.path, { 'run.env': `API_TOKEN=${given}\n` });
  const started = convoy.start(
    repo,
    'ship',
    '.',
    '--platform',
    'local',
    '--yes',
    '--env-file',
    join(temp.path, 'run.env'),
  );
  const argv: string[] = [];
  const looking = setInterval(
    () => argv.push(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })),
    100,
  );
  const { code, out, err } = await started.ended;
  clearInterval(looking);
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toContain('✓ secrets hello');
  const status = await convoy.run(repo, 'status', '--json');
  const objects = git(repo, 'cat-file', '--batch-all-objects', '--batch');
  const said = [out, err, status.out, argv.join('\n'), objects].join('\n');
  // Only the file that the platform reads holds it, and only its owner can read that.
  const held = filesHolding(join(repo, '.convoy'), [VALUE, given]);
  expect({ value: said.includes(VALUE), given: said.includes(given) }).toEqual({
    value: false,
    given: false,
  });
  expect(held.map((file) => file.replace(/[0-9a-f]{24}/, 'x'))).toEqual(['secrets/x.json']);
  expect(existsSync(join(repo, '.convoy', 'run-env'))).toBe(false);
}, 240_000);

function filesHolding(dir: string, values: readonly string[]): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => values.some((value) => readFileSync(file, 'latin1').includes(value)))
    .map((file) => file.slice(dir.length + 1));
}
