import { expect, test } from 'vitest';
import { why } from '../../src/contract/routes/convoys.ts';
import { engineRig, WORK } from './rig.ts';

test('KG-90 25 healthy tasks at once never trip the breaker', async () => {
  const rig = await engineRig({ workspace: { max_parallel: 25, breaker: 1 } });
  const tasks = await Promise.all(Array.from({ length: 25 }, (_, n) => rig.task(`T${n}`)));
  await rig.launch(...tasks);
  rig.start();
  const tried = await rig.until(
    'all handed in',
    async () => {
      const attempts = (await Promise.all(tasks.map((task) => rig.attempts(task)))).flat();
      return attempts.filter(({ status }) => status === 'done').length === 25 && attempts;
    },
    100_000,
  );
  expect(tried.length).toBe(25);
}, 120_000);

test('KG-90 an agent that fails at once again and again gets no more work, the others go on', async () => {
  const rig = await engineRig({
    workspace: { max_parallel: 2, attempts: 9, breaker: 3, backoff: '1ms' },
    agents: { broken: { adapter: 'command', command: ['sh', '-c', 'echo no key >&2; exit 9'] } },
    scripts: [{ steps: WORK }],
  });
  const bad = [
    await rig.task('B1', { agent: 'broken' }),
    await rig.task('B2', { agent: 'broken' }),
  ];
  const good = await rig.task('Good');
  await rig.launch(...bad, good);
  rig.start();
  const paused = await rig.until('paused', async () => {
    const { state, reasons } = await rig.call(why, { params: { id: bad[0]! } });
    const reason = reasons.find(({ code }) => code === 'agent_paused');
    return state === 'waiting' && reason !== undefined && reason;
  });
  expect(paused.message).toMatch(
    /^The agent broken is paused: it failed at once \d times in a row \(exit 9.*\); tried again at 20/,
  );
  await rig.until('merged', async () => (await rig.status(good)) === 'merged');
  const tries = await Promise.all(bad.map((task) => rig.attempts(task)));
  // Two may have been under way when the third failed.
  expect(tries.flat().length).toBeGreaterThanOrEqual(3);
  expect(tries.flat().length).toBeLessThanOrEqual(4);
});
