import { expect, test } from 'vitest';
import { makeQueue, WRITES_A_FILE } from './rig.ts';

const REVIEWED = 'review = "agent"\nreviewer = "mine"';
const reviewer = (script: string): string =>
  `if [ "$CONVOY_ROLE" = reviewer ]; then\n${script}\nelse\n${WRITES_A_FILE}\nfi`;
const say = (verdict: string, findings = '[]'): string =>
  `printf '%s' '{"verdict":"${verdict}","findings":${findings}}' > "$CONVOY_VERDICT_FILE"`;

test('a reviewer that said nothing is shown, asked again by hand, and the convoy lands', async () => {
  const rig = await makeQueue({ agent: reviewer('exit 0'), settings: REVIEWED });
  const cv = (await rig.ok(['create', 'Pair', await rig.task('one')])).convoy.id;
  expect((await rig.launch(cv)).code).toBe(1);
  const waiting = (await rig.ok(['review'])).reviews;
  expect(waiting).toMatchObject([{ by: 'agent', convoy: cv, status: 'failed', tries: 3 }]);
  const page = (await rig.convoy(['review', cv])).stdout;
  expect(page).toContain('✗ failed');
  expect(page).toContain(`convoy review ${waiting[0].id} --again`);

  const finding = '[{"file":"one.txt","line":1,"severity":"info","text":"fine by me"}]';
  rig.agent(reviewer(say('approve', finding)));
  await rig.ok(['review', waiting[0].id, '--again']);
  await rig.until(
    () => rig.status(cv),
    ({ status }) => status === 'landed',
  );
  expect((await rig.ok(['review', cv])).reviews).toMatchObject([
    {
      status: 'approved',
      tree: rig.git('rev-parse', 'main^{tree}'),
      findings: [{ text: 'fine by me' }],
    },
  ]);
  expect((await rig.ok(['review'])).reviews).toEqual([]);
  expect((await rig.ok(['review', '--all'])).reviews).toHaveLength(1);
  const again = await rig.convoy(['review', cv, '--again', '--json']);
  expect([again.code, again.json.error.code]).toEqual([1, 'nothing_to_ask']);
  await rig.convoy(['down']);
});

test('a person is asked: the review names the approval to decide, by convoy and by task', async () => {
  const rig = await makeQueue({ settings: 'review = "human"\nmerge_mode = "review-and-merge"' });
  const task = await rig.task('one');
  const ran = await rig.launch(task);
  expect(ran.code).toBe(5);
  const [asked] = (await rig.ok(['approvals'])).approvals;
  const expected = [
    {
      id: asked.id,
      by: 'person',
      status: 'waiting',
      convoy: ran.json.convoy.id,
      tree: asked.subject_hash,
    },
  ];
  for (const subject of [task, ran.json.convoy.id, asked.id])
    expect((await rig.ok(['review', subject])).reviews).toMatchObject(expected);
  expect((await rig.convoy(['review', task])).stdout).toContain(`convoy approve ${asked.id}`);
  await rig.ok(['reject', asked.id, '--reason', 'not like this']);
  expect((await rig.ok(['review', task])).reviews).toMatchObject([
    { status: 'rejected', reason: 'not like this' },
  ]);
});

test('nobody asked, nobody named, and a name nothing has', async () => {
  const rig = await makeQueue();
  const task = await rig.task('one');
  expect((await rig.convoy(['review', task])).stdout).toBe(`Nobody was asked to review ${task}.\n`);
  expect((await rig.convoy(['review'])).stdout).toContain('No review waits for a verdict.');
  expect((await rig.convoy(['review', '--again'])).code).toBe(2);
  expect((await rig.convoy(['review', 'cv-zzzzz'])).code).toBe(3);
});
