import { expect, test } from 'vitest';
import { showConvoy, why } from '../../src/contract/routes/convoys.ts';
import { engineRig } from '../engine/rig.ts';

/** Commits at once, and goes on until it is told to. */
const COMMITS_AND_WAITS = [
  {
    when: { title: 'apart' },
    steps: [
      { do: 'write', path: 'apart.txt', content: 'x\n' },
      { do: 'commit', message: 'apart' },
      { do: 'hang' },
    ],
  },
  {
    steps: [
      { do: 'write', path: 'shared.txt', content: '{task_id}\n' },
      { do: 'commit', message: 'early' },
      { do: 'hang' },
    ],
  },
];

test('attempts that will collide are seen while they run, in status and why, and nothing is recorded', async () => {
  const rig = await engineRig({ scripts: COMMITS_AND_WAITS, files: { 'shared.txt': 'start\n' } });
  const [a, b] = [await rig.task('one'), await rig.task('two')];
  const apart = await rig.task('apart');
  const convoy = await rig.launch(a, b, apart);
  rig.start();
  // A commit of an agent wakes nobody: it is looked for.
  const committed = (): number =>
    rig
      .git('for-each-ref', '--format=%(subject)', 'refs/heads/convoy')
      .split('\n')
      .filter((subject) => subject === 'early' || subject === 'apart').length;
  while (committed() < 3) await new Promise((resolve) => setImmediate(resolve));
  const { db } = rig.services.ledger;
  // Counted, because on Postgres what was recorded before may be sealed only now.
  const recorded = async (): Promise<number> =>
    (await db.selectFrom('event').select('id').execute()).length;
  const before = await recorded();
  const { convoy: seen } = await rig.call(showConvoy, { params: { id: convoy } });
  expect(seen.conflicts_ahead).toMatchObject([
    { repo: 'main', tasks: [a, b], files: ['shared.txt'] },
  ]);
  const { reasons } = await rig.call(why, { params: { id: a } });
  expect(reasons.at(-1)).toMatchObject({
    code: 'conflict_ahead',
    ids: [a, b],
    message: expect.stringContaining('shared.txt'),
  });
  const quiet = await rig.call(why, { params: { id: apart } });
  expect(quiet.reasons.map(({ code }) => code)).not.toContain('conflict_ahead');
  expect(await recorded()).toBe(before);
});
