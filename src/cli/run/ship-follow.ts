import { setTimeout as pause } from 'node:timers/promises';
import { type EventJson, health, listEvents } from '../../contract/routes/system.ts';
import { showRun } from '../../contract/routes/ship.ts';
import type { RunJson } from '../../contract/schemas/ship.ts';
import type { Outcome } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';
import { decideHere } from './ship-decide.ts';

type Context = Pick<
  CommandContext,
  | 'call'
  | 'host'
  | 'dir'
  | 'env'
  | 'signal'
  | 'out'
  | 'json'
  | 'quiet'
  | 'color'
  | 'columns'
  | 'interactive'
  | 'stdin'
  | 'now'
>;

const LOOK_MS = 80;
const PAGE = 500;

/** Where the feed is now: what happens from here on belongs to this command. */
export const feedPosition = async ({ call }: Pick<CommandContext, 'call'>): Promise<number> =>
  (await call(health, {})).seq;

/** Carries a run out, or watches who does, and shows it stage by stage until it rests. */
export async function followRun(
  context: Context,
  opened: RunJson,
  wish: { readonly after: number; readonly wait: boolean },
): Promise<Outcome> {
  const { json, quiet, out, call } = context;
  const shows = !json && !quiet;
  const view = await import('../render/run-view.ts');
  const prefix = view.linePrefix(context.color);
  if (shows) for (const line of view.banner(opened, context)) out(line);
  await watch(context, opened.id, wish, (event) => {
    if (shows) for (const line of view.eventLines(event, context)) out(prefix + line);
  });
  const { run } = await call(showRun, { params: { id: opened.id } });
  const exit = exitOf(run);
  if (json) return { json: { run }, text: () => '', exit };
  return { json: { run }, text: () => view.restPage(run, context), exit };
}

async function watch(
  context: Context,
  id: string,
  wish: { readonly after: number; readonly wait: boolean },
  show: (event: EventJson) => void,
): Promise<void> {
  const { call, host, dir, env, signal } = context;
  let driven: Awaited<ReturnType<typeof host.ship.drive>> | null = null;
  const driving = host.ship
    .drive({ dir, env, run: id, wait: wish.wait, signal })
    .then((result) => (driven = result));
  let after = wish.after;
  try {
    for (;;) {
      const settled: typeof driven = driven;
      const query = { after, subject: `run/${id}`, limit: PAGE };
      const { events } = await call(listEvents, { query });
      for (const event of events) {
        after = event.seq;
        show(event);
        if (event.kind === 'approval-awaited' && wish.wait) void decideHere(context, event.data);
      }
      if (settled !== null && events.length < PAGE && (await isOver(context, id, wish, settled)))
        return;
      await Promise.race([pause(LOOK_MS), settled === null ? driving : pause(LOOK_MS)]);
    }
  } finally {
    await driving;
  }
}

async function isOver(
  { call, signal }: Context,
  id: string,
  { wait }: { readonly wait: boolean },
  driven: Awaited<ReturnType<CommandContext['host']['ship']['drive']>>,
): Promise<boolean> {
  if (!driven.ok) throw new Stop(driven.error);
  if (driven.value.by === 'here' || signal.aborted) return true;
  const { run } = await call(showRun, { params: { id } });
  if (run.status === 'awaiting_approval') return !wait;
  return run.status !== 'pending' && run.status !== 'running' && run.status !== 'rolling_back';
}

/** The exit code that a run's status always has. */
export function exitOf({ status }: Pick<RunJson, 'status'>): number {
  switch (status) {
    case 'succeeded':
      return 0;
    case 'pending':
    case 'running':
    case 'awaiting_approval':
    case 'awaiting_fix':
    case 'paused':
      return WAITS_FOR_A_PERSON;
    case 'rolling_back':
    case 'rolled_back':
      return ROLLED_BACK;
    case 'interrupted':
      return INTERRUPTED;
    default:
      return 1;
  }
}

const WAITS_FOR_A_PERSON = 5;
const ROLLED_BACK = 6;
const INTERRUPTED = 130;
