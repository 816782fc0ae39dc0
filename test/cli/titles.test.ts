import { expect, test } from 'vitest';
import { makeCli } from './rig.ts';

test('titles of any kind come back as they were written', async () => {
  const rig = await makeCli();
  const titles = [
    'x',
    'y'.repeat(500),
    'quotes " and \' and `ticks` and $(subshell)',
    "'; drop table task; --",
    '日本語のタイトル 👩‍👩‍👧‍👦',
    'two\nlines',
    'null',
    '0',
    '%s %d {0}',
  ];
  for (const title of titles) {
    const id = await rig.task(title);
    expect((await rig.ok(['task', 'show', id])).task.title).toBe(title);
  }
});

test('a title like a flag is taken after --', async () => {
  const rig = await makeCli();
  const made = await rig.convoy(['task', 'create', '--json', '--', '--dry-run is ignored']);
  expect(made.json.task.title).toBe('--dry-run is ignored');
});

test('a prefix of an id is enough while it fits one thing only', async () => {
  const rig = await makeCli();
  const epic = await rig.task('Epic', '--type', 'epic');
  expect((await rig.ok(['task', 'show', epic.slice(0, -1)])).task.id).toBe(epic);
  const child = await rig.task('child', '--parent', epic);
  // An epic and its children begin alike; the exact one is meant.
  expect((await rig.ok(['task', 'show', epic])).task.id).toBe(epic);
  const cut = await rig.convoy(['task', 'show', epic.slice(0, -1), '--json']);
  expect([cut.code, cut.json.error.code]).toEqual([4, 'ambiguous_id']);
  expect(cut.json.error.message).toContain(child);
});
