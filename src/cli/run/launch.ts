import { launchConvoy, showConvoy } from '../../contract/routes/convoys.ts';
import type { ConvoyJson } from '../../contract/schemas/convoy.ts';
import { type Outcome, refused, type Run } from '../command.ts';
import type { launch } from '../commands/convoys.ts';
import type { CommandContext } from '../context.ts';
import { cleanLine } from '../render/clean.ts';
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
  return options.wait ? waiting(context, start) : launched(context, await start());
};

type Launching = Waiting & Pick<CommandContext, 'call' | 'err'>;

/** Makes sure an engine runs, and says what has started. */
export async function launched(context: Launching, id: string): Promise<Outcome> {
  const up = await context.host.detach({ dir: context.dir, env: context.env, port: null });
  if (!up.ok) return refused(up.error);
  context.err(
    up.value.already
      ? `The engine is up at ${up.value.url}.`
      : `Started the engine in the background, at ${up.value.url}; convoy down stops it.`,
  );
  const convoy = await firstStarts(context, id);
  const dispatched = convoy.tasks.filter(({ worker }) => worker !== null).map((task) => task.id);
  const failed = convoy.tasks.flatMap(({ id: task, last_error }) =>
    last_error === null ? [] : [{ id: task, error: last_error }],
  );
  return {
    json: { convoy_id: id, status: convoy.status, dispatched, failed },
    text: () => [
      `${id} is launched: ${cleanLine(convoy.title)}`,
      ...(dispatched.length === 0 ? [] : [`Started: ${dispatched.join(', ')}`]),
      ...failed.map(({ id: task, error }) => cleanLine(`Not started: ${task} (${error})`)),
      `Follow it: convoy status ${id} -f`,
    ],
    exit: failed.length > 0 && dispatched.length === 0 ? 1 : 0,
  };
}

/** Starts come in the engine's next pass; what has started by then is reported. */
async function firstStarts(context: Pick<CommandContext, 'call'>, id: string): Promise<ConvoyJson> {
  const until = performance.now() + FIRST_STARTS_MS;
  for (;;) {
    const { convoy } = await context.call(showConvoy, { params: { id } });
    const hasBegun = convoy.tasks.some(
      ({ worker, last_error, status }) =>
        worker !== null || last_error !== null || status === 'submitted' || status === 'merged',
    );
    if (hasBegun || performance.now() > until || convoy.status !== 'open') return convoy;
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
    if (running.ok) await running.value.stop();
  }
}
