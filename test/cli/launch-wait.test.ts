import { expect, test } from 'vitest';
import { makeCli } from './rig.ts';

test('launch --wait of a convoy that is launched already waits for it', async () => {
  const rig = await makeCli();
  const id = await rig.task('A');
  // Held by a person: it stalls, which is an end that --wait reports.
  await rig.ok(['task', 'edit', id, '--status', 'blocked']);
  const { convoy } = await rig.ok(['create', 'Held', id, '--launch']);
  const waited = await rig.convoy(['launch', convoy.id, '--wait', '--json']);
  expect([waited.code, waited.json.convoy?.status ?? waited.json.status]).toEqual([1, 'stalled']);
});
