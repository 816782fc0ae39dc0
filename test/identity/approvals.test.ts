import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApprovalWish } from '../../src/domain/approval/approval.ts';
import { requestApproval } from '../../src/ledger/approvals.ts';
import { ok } from '../../src/lib/result.ts';
import { convoy, type Rig, startRig } from './rig.ts';

let rig: Rig;
let approver: string;
let count = 0;
const ids = { base36: (length: number) => (count++).toString(36).padStart(length, 'a') };

beforeAll(async () => {
  rig = await startRig();
  const body = { role: 'approver', name: 'bo' };
  approver = (await rig.ask('/api/v1/tokens', { method: 'POST', body })).json.secret;
});
afterAll(() => rig.stop());

async function request(over: Partial<ApprovalWish> = {}): Promise<string> {
  const made = await rig.ledger.write('engine', async (tx) =>
    ok(
      await requestApproval(tx, ids, {
        kind: 'deploy',
        subject: `run-${count}`,
        lane: null,
        subjectHash: 'sha-1',
        summary: 'Deploy api to local',
        details: { image: 'api:1' },
        ...over,
      }),
    ),
  );
  if (!made.ok) throw new Error('refused');
  return made.value.id;
}

const idsOf = (page: { approvals: { id: string }[] }): string[] =>
  page.approvals.map(({ id }) => id);

const say = (id: string, word: string, body: object = {}, token = approver) =>
  rig.ask(`/api/v1/approvals/${id}/${word}`, { method: 'POST', body, token });

test('DC-68 a decision says who, when and from where; the same again changes nothing', async () => {
  const id = await request();
  const first = await say(id, 'approve', { reason: 'looks right', subject_hash: 'sha-1' });
  expect(first.json.approval).toMatchObject({
    status: 'approved',
    subject_hash: 'sha-1',
    decision: { verdict: 'approve', actor: 'approver:bo', channel: 'api', reason: 'looks right' },
  });
  const again = await say(id, 'approve', {}, rig.operator);
  expect(again.json.approval.decision).toEqual(first.json.approval.decision);
  const turned = await say(id, 'reject');
  expect(turned).toMatchObject({ status: 409, json: { code: 'already_decided' } });
  const { events } = (await rig.ask(`/api/v1/events?subject=${id}`)).json;
  expect(events.map(({ kind, actor }: { kind: string; actor: string }) => [kind, actor])).toEqual([
    ['approval-requested', 'engine'],
    ['approval-decided', 'approver:bo'],
  ]);
});

const waits = async (): Promise<unknown[]> => (await rig.ask('/api/v1/overview')).json.needs_me;

test('what waits for a yes is what needs me, and no longer when it is decided', async () => {
  const id = await request();
  expect(await waits()).toContainEqual({
    id,
    kind: 'approval',
    message: 'Deploy api to local (deploy) waits for a yes',
  });
  await say(id, 'reject');
  expect(await waits()).toEqual([]);
});

test('a yes to something that has changed since is refused', async () => {
  const id = await request();
  const late = await say(id, 'approve', { subject_hash: 'sha-0' });
  expect(late).toMatchObject({ status: 409, json: { code: 'subject_changed' } });
  expect((await rig.ask(`/api/v1/approvals/${id}`)).json.approval.status).toBe('pending');
});

test('pending ones are listed by default, oldest first, in pages', async () => {
  const subject = 'run-pages';
  const kinds = ['open_pr', 'merge_pr', 'deploy', 'promote'] as const;
  const made: string[] = [];
  for (const kind of kinds) made.push(await request({ subject, kind }));
  await say(made[1] ?? '', 'reject');
  const list = async (query: string) =>
    (await rig.ask(`/api/v1/approvals?subject=${subject}&${query}`)).json;
  expect(idsOf(await list(''))).toEqual([made[0], made[2], made[3]]);
  expect(idsOf(await list('all=true'))).toEqual(made);
  expect(idsOf(await list('status=rejected'))).toEqual([made[1]]);
  const first = await list('limit=2');
  expect(idsOf(first)).toEqual([made[0], made[2]]);
  const second = await list(`limit=2&cursor=${encodeURIComponent(first.next)}`);
  expect([idsOf(second), second.next]).toEqual([[made[3]], null]);
  const bad = await rig.ask('/api/v1/approvals?cursor=nonsense');
  expect(bad).toMatchObject({ status: 400, json: { code: 'cursor_invalid' } });
});

test('DC-71 from the command line: list, approve by a prefix, reject, and the exit codes', async () => {
  const place = { cwd: rig.root, env: rig.env };
  const id = await request({ subject: 'run-cli', summary: 'Deploy \u001b[31mred' });
  const listed = await convoy(['approvals', '--json', '--subject', 'run-cli'], place);
  expect(JSON.parse(listed.out)).toMatchObject({
    schema: 'convoy.v1',
    approvals: [
      { id, kind: 'deploy', subject: 'run-cli', subject_hash: 'sha-1', status: 'pending' },
    ],
  });
  const table = await convoy(['approvals', '--subject', 'run-cli'], place);
  expect(table.out).toContain(id);
  expect(table.out).not.toContain('\u001b[31m');
  const yes = await convoy(['approve', id, '--reason', 'fine', '--json'], place);
  expect(JSON.parse(yes.out).approval.decision).toMatchObject({
    actor: 'operator:ana',
    channel: 'cli',
    reason: 'fine',
  });
  expect((await convoy(['reject', id], place)).code).toBe(4);
  expect((await convoy(['approve', 'ap-zzzzzz'], place)).code).toBe(3);
  expect((await convoy(['approve', 'ap-'], place)).code).toBe(4);
});
