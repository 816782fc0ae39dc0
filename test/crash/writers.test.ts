import { expect, test } from 'vitest';
import { type CliRig, makeCli } from '../cli/rig.ts';

const WRITERS = 16;

test.each(['without a daemon', 'through a daemon'])(
  '16 processes writing at once %s lose nothing and never see a lock',
  async (mode) => {
    const rig = await makeCli();
    const epic = await rig.task('Epic', '--type', 'epic');
    if (mode === 'through a daemon') await rig.ok(['up', '--detach']);
    const written = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => writes(rig, epic, writer)),
    );
    const faults = written.flatMap(({ said }) => said);
    expect(faults).toEqual([]);
    const ids = written.flatMap(({ tasks }) => tasks);
    expect(new Set(ids).size).toBe(WRITERS * 2);
    const { tasks } = await rig.ok(['task', 'list', '--limit', '1000']);
    const stored = new Map<string, { title: string; labels: string[] }>(
      tasks.map((task: { id: string; title: string; labels: string[] }) => [task.id, task]),
    );
    for (const [writer, { tasks: mine }] of written.entries()) {
      expect(stored.get(mine[0] ?? '')).toMatchObject({
        title: `first of ${writer}`,
        labels: ['seen'],
      });
      expect(stored.get(mine[1] ?? '')).toMatchObject({ title: `second of ${writer}` });
    }
    // Children of one parent are numbered without a gap or a double.
    const numbers = ids.map((id) => Number(id.split('.')[1])).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: WRITERS * 2 }, (_, at) => at + 1));
    const staged = await rig.ok(['stage', epic]);
    expect(staged.waves.map((wave: { tasks: unknown[] }) => wave.tasks.length)).toEqual([
      WRITERS,
      WRITERS,
    ]);
    expect((await rig.ok(['ledger', 'verify'])).ok).toBe(true);
  },
  180_000,
);

/** One user's work: two tasks, an order between them, a label. Says whatever was not as it should be. */
async function writes(
  rig: CliRig,
  epic: string,
  writer: number,
): Promise<{ tasks: string[]; said: string[] }> {
  const said: string[] = [];
  const tasks: string[] = [];
  const run = async (...args: string[]): Promise<void> => {
    const ran = await rig.convoy([...args, '--json']);
    if (ran.code !== 0 || ran.stderr !== '')
      said.push(`${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
    else if (args[1] === 'create') tasks.push(ran.json.task.id);
  };
  await run('task', 'create', `first of ${writer}`, '--parent', epic);
  await run('task', 'create', `second of ${writer}`, '--parent', epic);
  await run('task', 'dep', 'add', tasks[1] ?? '', tasks[0] ?? '');
  await run('task', 'edit', tasks[0] ?? '', '--label', 'seen');
  return { tasks, said };
}
