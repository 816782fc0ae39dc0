import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { askOver, convoy } from '../identity/rig.ts';
import { type Access, type McpRig, mcpClient, openMcpRig, use } from './rig.ts';

const QUESTION = { question: 'Which region?', choices: ['eu', 'us'] };

const waiting = (rig: McpRig): Promise<{ id: string }> =>
  rig.until(async () => (await rig.ask('/approvals')).json.approvals[0] ?? null);

const cli = (args: readonly string[], { url, token }: Access) =>
  convoy(args, {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', CONVOY_URL: url, CONVOY_TOKEN: token },
  });

test('a question of an agent is shown to people, and their answer is what its call returns', async () => {
  const rig = await openMcpRig();
  const { task, access } = await rig.worker('Greet');
  const { convoy: cv, id: attempt } = await rig.attempt(task);
  const client = await mcpClient(access);
  const calling = use(client, 'request_input', QUESTION);
  const { id } = await waiting(rig);
  const asks = [
    { approval: id, kind: 'input', attempt, text: 'Which region?', choices: ['eu', 'us'] },
  ];
  const shown = {
    approval: await rig.ask(`/approvals/${id}`),
    task: await rig.ask(`/tasks/${task}`),
    convoy: await rig.ask(`/convoys/${cv}`),
    why: await rig.ask(`/why/${task}`),
    overview: await rig.ask('/overview'),
  };
  expect(shown.approval.json.approval).toMatchObject({
    kind: 'input',
    subject: attempt,
    status: 'pending',
    summary: `waits asks in ${task}: Which region?`,
    details: { task, ...QUESTION },
  });
  expect(shown.task.json.task.asks).toMatchObject(asks);
  expect(shown.convoy.json.convoy).toMatchObject({
    tasks: [{ id: task, asks }],
    approvals: [{ id, kind: 'input' }],
  });
  expect(shown.why.json.reasons[0]).toMatchObject({ code: 'asks_person', ids: [task, id] });
  expect(shown.overview.json.needs_me).toMatchObject([
    { id, kind: 'approval', message: expect.stringContaining(`convoy answer ${id}`) },
  ]);
  const pages = await Promise.all(
    [['status', cv], ['task', 'show', task], ['why', task], ['approvals']].map((args) =>
      cli(args, rig.operator),
    ),
  );
  for (const { code, out } of pages) {
    expect(out).toContain('Which region?');
    expect(code).toBe(0);
  }
  const said = await cli(['answer', id.slice(0, 6), 'eu, for the law', '--json'], rig.operator);
  expect(JSON.parse(said.out).approval).toMatchObject({
    status: 'approved',
    decision: { answer: 'eu, for the law', channel: 'cli' },
  });
  const answered = { question: id, status: 'answered', answer: 'eu, for the law', reason: null };
  expect(await calling).toMatchObject({ failed: false, ...answered });
  // The very same question is not put to anybody again.
  expect(await use(client, 'request_input', QUESTION)).toMatchObject(answered);
  expect((await rig.ask('/approvals?all=true')).json.approvals).toHaveLength(1);
  expect((await rig.ask(`/tasks/${task}`)).json.task.asks).toEqual([]);
});

const as = (who: Access, path: string, method = 'GET') =>
  askOver(who.url, `/api/v1${path}`, { token: who.token, method, body: { answer: 'us' } });

test('nobody but a person answers, a yes is no answer, and other agents see nothing of it', async () => {
  const rig = await openMcpRig();
  const { access } = await rig.worker('Greet');
  const other = await rig.worker('Part');
  const client = await mcpClient(access);
  const asked = await use(client, 'request_input', { ...QUESTION, wait_s: 0 });
  expect(asked).toMatchObject({ failed: false, status: 'pending', answer: null });
  expect(await as(other.access, `/worker/input/${asked.question}`)).toMatchObject({
    status: 404,
    json: { code: 'approval_not_found' },
  });
  for (const who of [access, other.access])
    expect(await as(who, `/approvals/${asked.question}/answer`, 'POST')).toMatchObject({
      status: 403,
    });
  const operator = (word: string, body: object) =>
    rig.ask(`/approvals/${asked.question}/${word}`, body);
  expect((await operator('approve', {})).json).toMatchObject({ code: 'needs_answer' });
  expect((await operator('answer', { answer: ' ' })).json).toMatchObject({
    fields: [{ path: 'answer' }],
  });
  expect((await operator('answer', { answer: 'eu', subject_hash: 'other' })).json).toMatchObject({
    code: 'subject_changed',
  });
  expect((await rig.ask('/worker/input', QUESTION)).json).toMatchObject({ code: 'no_attempt' });
  expect((await operator('answer', { answer: 'eu' })).json.approval.status).toBe('approved');
  expect((await operator('answer', { answer: 'us' })).json).toMatchObject({
    code: 'already_decided',
    message: expect.stringContaining('answered by'),
  });
});

test('the command asks, waits, is told nothing, is left alone, and is answered', async () => {
  const rig = await openMcpRig();
  const { access, task, file } = await rig.worker('Greet');
  const nobody = await cli(['ask', 'Which region?', '--wait', '0s'], access);
  expect(nobody).toMatchObject({ code: 5, out: '', err: expect.stringContaining('Nobody has') });
  const { id } = await waiting(rig);
  const again = cli(['ask', 'Which region?', '--wait', '1m'], access);
  await cli(['answer', id, 'eu'], rig.operator);
  expect(await again).toMatchObject({ code: 0, out: 'eu\n' });
  const second = cli(['ask', 'May it break?', '--json'], access);
  const next = await waiting(rig);
  await cli(['reject', next.id, '--reason', 'as you like'], rig.operator);
  const declined = await second;
  expect(declined.code).toBe(1);
  expect(JSON.parse(declined.out)).toMatchObject({ status: 'declined', reason: 'as you like' });
  expect(await cli(['ask', 'x', '--wait', 'soon'], access)).toMatchObject({ code: 2 });
  expect(await cli(['ask', 'x', '--wait', '0s'], rig.operator)).toMatchObject({ code: 2 });
  // What nobody answered is gone with the attempt.
  await cli(['ask', 'Still there?', '--wait', '0s'], access);
  const last = await waiting(rig);
  writeFileSync(`${file}.end`, '');
  await rig.until(async () => ((await rig.attempt(task)).endedAt === null ? null : true));
  expect((await rig.ask(`/approvals/${last.id}`)).json.approval).toMatchObject({
    status: 'void',
    void_reason: 'the attempt is over',
  });
  expect((await rig.ask(`/approvals/${last.id}/answer`, { answer: 'yes' })).json).toMatchObject({
    code: 'approval_void',
  });
});

test('no more than five questions of one attempt wait at a time', async () => {
  const rig = await openMcpRig();
  const { access } = await rig.worker('Greet');
  const client = await mcpClient(access);
  const ask = (question: string) => use(client, 'request_input', { question, wait_s: 0 });
  for (const nth of [1, 2, 3, 4, 5])
    expect(await ask(`Question ${nth}?`)).toMatchObject({ status: 'pending' });
  expect(await ask('Question 3?')).toMatchObject({ status: 'pending' });
  expect(await ask('Question 6?')).toMatchObject({
    failed: true,
    error: { code: 'too_many_questions' },
  });
});

test('an agent that waits for an answer is not silent, however it asked', async () => {
  const rig = await openMcpRig('silence = "2s"');
  const asking = await rig.worker('Asks');
  const client = await mcpClient(asking.access);
  const { question } = await use(client, 'request_input', { ...QUESTION, wait_s: 0 });
  const quiet = await rig.worker('Says nothing');
  const ended = (task: string) => async () => {
    const attempt = await rig.attempt(task);
    return attempt.endedAt === null ? null : attempt;
  };
  expect(await rig.until(ended(quiet.task))).toMatchObject({ status: 'stopped' });
  expect(await rig.attempt(asking.task)).toMatchObject({ status: 'running' });
  await rig.ask(`/approvals/${question}/answer`, { answer: 'eu' });
  const later = await rig.until(ended(asking.task));
  expect(later.reason).toBe('it was silent for 2 s');
});
