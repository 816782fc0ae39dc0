import { expect, test } from 'vitest';
import { makeQueue, type QueueRig, WRITES_A_FILE } from './rig.ts';

const REVIEWED = 'review = "agent"\nreviewer = "mine"';

const reviewer = (script: string): string =>
  `if [ "$CONVOY_ROLE" = reviewer ]; then\n${script}\nelse\n${WRITES_A_FILE}\nfi`;

const say = (verdict: string, findings = '[]'): string =>
  `printf '%s' '{"verdict":"${verdict}","findings":${findings}}' > "$CONVOY_VERDICT_FILE"`;

/** Says it as the tool of the MCP server does. */
const tell = (verdict: string): string =>
  `${process.execPath} -e 'fetch(process.env.CONVOY_URL + "/api/v1/worker/verdict", { method: "POST", headers: { authorization: "Bearer " + process.env.CONVOY_TOKEN, "content-type": "application/json" }, body: JSON.stringify({ verdict: "${verdict}" }) }).then((answer) => process.exit(answer.ok ? 0 : 9))'`;

const oneTask = async (rig: QueueRig): Promise<string> => {
  const task = await rig.task('one');
  return (await rig.ok(['create', 'Pair', task])).convoy.id;
};

test('GT-174 the combined diff is reviewed before the landing, and an approval lets it land', async () => {
  const rig = await makeQueue({
    agent: reviewer(`grep -q '^+one$' "$CONVOY_DIFF_FILE"\n${say('approve')}`),
    settings: REVIEWED,
  });
  const id = await oneTask(rig);
  const ran = await rig.launch(id);
  expect(ran.json.convoy.status).toBe('landed');
  expect(ran.json.convoy.review).toMatchObject([
    { status: 'approved', tries: 1, tree: rig.git('rev-parse', 'main^{tree}') },
  ]);
});

test('GT-174 a verdict through the tool counts like one in the file', async () => {
  const rig = await makeQueue({ agent: reviewer(tell('approve')), settings: REVIEWED });
  const ran = await rig.launch(await oneTask(rig));
  expect(ran.json.convoy).toMatchObject({ status: 'landed', review: [{ status: 'approved' }] });
});

test('GT-174 a rejection becomes a required task; the new tree is reviewed again', async () => {
  const finding = '[{"file":"one.txt","line":1,"severity":"error","text":"it lacks a mend"}]';
  const rig = await makeQueue({
    agent: `if [ "$CONVOY_ROLE" = reviewer ]; then
  if grep -q mended "$CONVOY_DIFF_FILE"; then ${say('approve')}; else ${say('reject', finding)}; fi
elif grep -q "it lacks a mend" "$CONVOY_PROMPT_FILE"; then echo mended > mended.txt
else ${WRITES_A_FILE}; fi`,
    settings: REVIEWED,
  });
  const id = await oneTask(rig);
  const ran = await rig.launch(id);
  expect(ran.json.convoy.status).toBe('landed');
  expect(ran.json.convoy.progress).toMatchObject({ required: 2, done: 2 });
  expect(ran.json.convoy.review.map(({ status }: { status: string }) => status).toSorted()).toEqual(
    ['approved', 'rejected'],
  );
  expect(rig.show('main', 'mended.txt')).toBe('mended');
});

test.each([
  ['says nothing', 'exit 0'],
  ['crashes after it wrote an approval', `${say('approve')}\nexit 3`],
  ['crashes after it said an approval', `${tell('approve')}\nexit 3`],
  ['writes prose', 'echo "looks good: approve" > "$CONVOY_VERDICT_FILE"'],
])(
  'a reviewer that %s approves nothing, is run again, and then a person is asked',
  async (_, does) => {
    const rig = await makeQueue({ agent: reviewer(does), settings: REVIEWED });
    const before = rig.git('rev-parse', 'main');
    const ran = await rig.launch(await oneTask(rig));
    expect(ran.code).toBe(1);
    expect(ran.json.convoy).toMatchObject({
      status: 'stalled',
      review: [{ status: 'failed', tries: 3 }],
    });
    expect(ran.json.convoy.reason).toContain('no verdict after 3 reviews');
    expect(rig.git('rev-parse', 'main')).toBe(before);
    rig.agent(reviewer(say('approve')));
    await rig.ok(['land', ran.json.convoy.id]);
    await rig.until(
      () => rig.status(ran.json.convoy.id),
      ({ status }) => status === 'landed',
    );
    await rig.convoy(['down']);
  },
);

test('a person approves: the launch ends with 5, and the yes lets it land', async () => {
  const rig = await makeQueue({ settings: 'review = "human"' });
  const ran = await rig.launch(await oneTask(rig));
  expect(ran.code).toBe(5);
  const { approvals } = await rig.ok(['approvals']);
  expect(approvals).toMatchObject([
    { kind: 'review', subject: ran.json.convoy.id, status: 'pending' },
  ]);
  await rig.ok(['approve', approvals[0].id]);
  await rig.ok(['up', '--detach']);
  await rig.until(
    () => rig.status(ran.json.convoy.id),
    ({ status }) => status === 'landed',
  );
  await rig.convoy(['down']);
});

test('KG-94 each change is reviewed before it is merged; a no sends the task back with the findings', async () => {
  const finding = '[{"file":"x","line":1,"severity":"error","text":"use tabs"}]';
  const rig = await makeQueue({
    agent: `if [ "$CONVOY_ROLE" = reviewer ]; then
  if grep -q tabs "$CONVOY_DIFF_FILE"; then ${say('approve')}; else ${say('reject', finding)}; fi
elif grep -q "use tabs" "$CONVOY_PROMPT_FILE"; then echo tabs > style.txt
else ${WRITES_A_FILE}; fi`,
    settings: `${REVIEWED}\nmerge_mode = "review-and-merge"`,
  });
  const task = await rig.task('one');
  const ran = await rig.launch(task);
  expect(ran.json.convoy.status).toBe('landed');
  expect(ran.json.convoy.tasks).toMatchObject([{ id: task, status: 'merged', attempts: 2 }]);
  expect(rig.show('main', 'style.txt')).toBe('tabs');
  expect(ran.json.convoy.landings).toMatchObject([{ repo: 'main', target: 'main' }]);
});

test('KG-66 a person approves each change in review-and-merge', async () => {
  const rig = await makeQueue({
    settings: 'review = "human"\nmerge_mode = "review-and-merge"',
  });
  const before = rig.git('rev-parse', 'main');
  const ran = await rig.launch(await rig.task('one'));
  expect(ran.code).toBe(5);
  expect(rig.git('rev-parse', 'main')).toBe(before);
  const { approvals } = await rig.ok(['approvals']);
  await rig.ok(['approve', approvals[0].id]);
  await rig.ok(['up', '--detach']);
  await rig.until(
    () => rig.status(ran.json.convoy.id),
    ({ status }) => status === 'landed',
  );
  await rig.convoy(['down']);
});
