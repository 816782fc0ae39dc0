import { launchConvoy, showConvoy } from '../../contract/routes/convoys.ts';
import { listTasks } from '../../contract/routes/tasks.ts';
import type { ConvoyJson } from '../../contract/schemas/convoy.ts';
import { type Outcome, refused, type Run } from '../command.ts';
import type { launch } from '../commands/convoys.ts';
import type { CommandContext } from '../context.ts';
import { cleanLine } from '../render/clean.ts';
import { Stop } from '../stop.ts';
import { oneLine } from '../render/heading.ts';
import { startEngine } from './start-engine.ts';
import { waitForConvoy } from './wait-convoy.ts';

const FIRST_STARTS_MS = 3000;

export const run: Run<typeof launch> = async (context) => {
  const { args, options, call } = context;
  const start = async (): Promise<string> => {
    const answer = await call(launchConvoy, {
      body: { targets: [...args.targets], force: options.force, title: options.title },
    });
    return answer.convoy_id;
  };
  if (!options.wait) return launched(context, await start());
  return waiting(context, () => start().catch((error: unknown) => underWay(context, error)));
};

/** Whoever waits for a convoy that somebody launched before waits for that one. */
async function underWay(
  { args, call }: Pick<CommandContext, 'call'> & { args: { targets: readonly string[] } },
  error: unknown,
): Promise<string> {
  const [only, ...more] = args.targets;
  const isTaken = error instanceof Stop && LAUNCHED.has(error.problem.code);
  if (!isTaken || only === undefined || more.length > 0 || !only.startsWith('cv-')) throw error;
  const { convoy } = await call(showConvoy, { params: { id: only } });
  if (STAGED.has(convoy.status) || (convoy.status === 'open' && !convoy.feeding)) throw error;
  return convoy.id;
}

const LAUNCHED = new Set(['already_launched', 'wrong_state']);
const STAGED = new Set(['staged_ready', 'staged_warnings']);

type Launching = Waiting & Pick<CommandContext, 'call' | 'err' | 'columns'>;

/** Makes sure an engine runs, and says what has started. */
export async function launched(context: Launching, id: string): Promise<Outcome> {
  const { convoy: before } = await context.call(showConvoy, { params: { id } });
  const over = new Set(
    before.tasks.filter(({ status }) => DONE.has(status)).map((task) => task.id),
  );
  const up = await startEngine(context);
  if (!up.ok) return refused(up.error);
  const convoy = await firstStarts(context, id);
  const begun = convoy.tasks.filter((task) => !over.has(task.id) && hasBegun(task));
  const failed = convoy.tasks.flatMap(({ id: task, last_error }) =>
    last_error === null ? [] : [{ id: task, error: last_error }],
  );
  const left = convoy.tasks.filter(({ status }) => status === 'open').length;
  const waves = new Set(convoy.tasks.flatMap(({ wave }) => wave ?? [])).size;
  return {
    json: {
      convoy_id: id,
      status: convoy.status,
      dispatched: begun.map((task) => task.id),
      failed,
    },
    text: () => [
      `${id} is launched: ${cleanLine(convoy.title)}`,
      `${counted(convoy.tasks.length, 'task')} in ${counted(waves, 'wave')}; started now: ${begun.length}`,
      ...begun.map((task) =>
        oneLine([`  ${task.id}`, task.repo ?? '', task.title], context.columns),
      ),
      ...failed.map(({ id: task, error }) => cleanLine(`Not started: ${task} (${error})`)),
      ...(left === 0
        ? []
        : ['The rest starts by itself, each as soon as what it needs is merged.']),
      `Follow it: convoy status ${id} -f`,
    ],
    exit: failed.length > 0 && begun.length === 0 ? 1 : 0,
  };
}

const DONE = new Set(['merged', 'closed', 'skipped', 'cancelled', 'failed']);

const hasBegun = ({ worker, attempts, last_error }: ConvoyJson['tasks'][number]): boolean =>
  worker !== null || (attempts > 0 && last_error === null);

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Starts come in the engine's next pass, which takes everything there is room for. */
async function firstStarts(context: Pick<CommandContext, 'call'>, id: string): Promise<ConvoyJson> {
  const until = performance.now() + FIRST_STARTS_MS;
  for (;;) {
    const query = { convoy: id, startable: 'true' as const, limit: '1' };
    const { tasks: ready } = await context.call(listTasks, { query });
    const { convoy } = await context.call(showConvoy, { params: { id } });
    if (ready.length === 0 || performance.now() > until || convoy.status !== 'open') return convoy;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

type Waiting = Parameters<typeof waitForConvoy>[0] & Pick<CommandContext, 'host' | 'dir' | 'env'>;

/** Holds the engine here when nobody else does, until the convoy has ended. */
export async function waiting(context: Waiting, start: () => Promise<string>): Promise<Outcome> {
  const { host, dir, env } = context;
  const running = await host.run({ dir, env, port: null });
  if (!running.ok && running.error.code !== 'engine_running') return refused(running.error);
  try {
    return await waitForConvoy(context, await start());
  } finally {
    // Nobody else would watch over agents that an interrupted command leaves behind.
    if (running.ok) await running.value.stop({ agents: context.signal.aborted });
  }
}
