import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { attemptId, taskId } from '../../src/domain/work/ids.ts';
import { mintAttemptToken } from '../../src/daemon/attempt-tokens.ts';
import { reviewAggregate } from '../../src/ledger/aggregates/review.ts';
import { ok } from '../../src/lib/result.ts';
import { askOver, convoy } from '../identity/rig.ts';
import { mcpClient, openMcpRig, use } from './rig.ts';

const names = async (client: Awaited<ReturnType<typeof mcpClient>>): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name).toSorted();

test('a worker sees its own tools and its own task, and what it says counts', async () => {
  const rig = await openMcpRig();
  const { task, access, file } = await rig.worker('Greet');
  const other = await rig.worker('Part');
  const client = await mcpClient(access);
  expect(await names(client)).toEqual([
    'checkpoint',
    'done',
    'escalate',
    'prime',
    'request_input',
    'status',
  ]);
  expect(await use(client, 'prime')).toMatchObject({
    failed: false,
    role: 'worker',
    task: { id: task, description: 'All about Greet.' },
  });
  expect(await use(client, 'status')).toMatchObject({ task: { id: task, status: 'in_progress' } });
  expect(await use(client, 'checkpoint', { note: 'half way' })).toMatchObject({ task });
  expect(await use(client, 'escalate', { text: 'no key', severity: 'low' })).toMatchObject({
    task,
  });
  expect((await rig.attempt(task)).escalations).toMatchObject([
    { severity: 'low', text: 'no key' },
  ]);
  expect(await use(client, 'done', { no_code: true, reason: 'nothing to do' })).toMatchObject({
    failed: false,
    task,
  });
  writeFileSync(`${file}.end`, '');
  const ended = await rig.until(async () => {
    const attempt = await rig.attempt(task);
    return attempt.endedAt === null ? null : attempt;
  });
  expect(ended).toMatchObject({ status: 'done', noCode: 'nothing to do' });
  expect((await rig.attempt(other.task)).saidDone).toBeNull();
  // The attempt is over, and so is its token.
  expect(await use(client, 'done')).toMatchObject({
    failed: true,
    error: { code: 'token_revoked' },
  });
});

test('KG-103 a worker that claims another task, or acts as somebody else, is refused', async () => {
  const rig = await openMcpRig();
  const { access, task } = await rig.worker('Greet');
  const other = await rig.worker('Part');
  const as = (path: string, method = 'GET') =>
    askOver(access.url, `/api/v1${path}`, { token: access.token, method, body: {} });
  expect(await as(`/tasks/${task}`)).toMatchObject({ status: 200 });
  expect(await as(`/tasks/${other.task}`)).toMatchObject({
    status: 403,
    json: { code: 'not_your_task' },
  });
  const { convoy: theirs } = await rig.attempt(other.task);
  for (const path of [`/convoys/${theirs}/close`, `/tasks/${other.task}/skip`, '/tokens'])
    expect(await as(path, 'POST')).toMatchObject({ status: 403 });
  expect(await rig.attempt(other.task)).toMatchObject({ status: 'running', saidDone: null });
});

test('arguments that are wrong are named one by one, and nothing is said', async () => {
  const rig = await openMcpRig();
  const { task, access } = await rig.worker('Greet');
  const client = await mcpClient(access);
  expect(await use(client, 'done', { no_code: 'yes', reason: '', task: 'web-1' })).toMatchObject({
    failed: true,
    error: {
      code: 'invalid_arguments',
      fields: [
        { path: 'no_code', message: expect.stringContaining('boolean') },
        { path: 'reason', message: expect.any(String) },
        { path: 'task', message: 'is not known here' },
      ],
    },
  });
  expect(await use(client, 'escalate', { severity: 'awful' })).toMatchObject({
    error: { fields: [{ path: 'text' }, { path: 'severity' }] },
  });
  expect((await rig.attempt(task)).saidDone).toBeNull();
  await expect(use(client, 'review_verdict', { verdict: 'approve' })).rejects.toThrow(
    'no tool review_verdict for a worker',
  );
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'checkpoint')?.inputSchema).toMatchObject({
    type: 'object',
    required: ['note'],
    additionalProperties: false,
    properties: { note: { type: 'string', minLength: 1, maxLength: 2000 } },
  });
});

test('a reviewer sees its verdict only, and gives it to the review of its own try', async () => {
  const rig = await openMcpRig();
  const id = 'rv-1-main-abc';
  await rig.ledger.write('test', async (tx) => {
    const about = {
      id,
      convoy: 'cv-1',
      repo: 'main',
      change: null,
      head: 'h',
      base: 'b',
      tree: 't',
    };
    await tx.record(reviewAggregate, id, [
      { type: 'review-opened', review: about },
      { type: 'review-started' },
    ]);
    return ok(null);
  });
  const tokenFor = async (run: string): Promise<string> => {
    const minted = await rig.ledger.write('test', async (tx) =>
      ok(await mintAttemptToken(tx, attemptId(run), taskId('cv-1'), 'reviewer')),
    );
    return minted.ok ? minted.value : '';
  };
  const { url } = rig.operator;
  const client = await mcpClient({ url, token: await tokenFor(`${id}-1`) });
  expect(await names(client)).toEqual(['review_verdict']);
  expect(
    await use(client, 'review_verdict', { verdict: 'reject', findings: [{ text: '', line: 0 }] }),
  ).toMatchObject({
    error: { fields: [{ path: 'findings.0.line' }, { path: 'findings.0.text' }] },
  });
  const findings = [{ file: 'a.ts', line: 3, severity: 'error', text: 'a secret' }];
  expect(await use(client, 'review_verdict', { verdict: 'reject', findings })).toMatchObject({
    failed: false,
    review: id,
    tree: 't',
  });
  const said = async () => (await reviewAggregate.load(rig.ledger.db, id))?.state.said;
  expect(await said()).toEqual({ verdict: 'reject', findings });
  const late = await mcpClient({ url, token: await tokenFor(`${id}-2`) });
  expect(await use(late, 'review_verdict', { verdict: 'approve' })).toMatchObject({
    failed: true,
    error: { code: 'review_over' },
  });
  expect(await said()).toEqual({ verdict: 'reject', findings });
});

test('other roles see none of these, and a token that is not good ends it with the reason', async () => {
  const rig = await openMcpRig();
  expect(await names(await mcpClient(rig.operator))).toEqual([]);
  const env = { PATH: process.env['PATH'] ?? '', CONVOY_URL: rig.operator.url, CONVOY_TOKEN: 'x' };
  const { code, out, err } = await convoy(['mcp'], { cwd: '/', env });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain('token');
});
