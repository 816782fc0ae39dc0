import { type Outcome, refused, type Run } from '../command.ts';
import type { demo } from '../commands/demo.ts';
import type { CommandContext } from '../context.ts';
import { readHistory } from '../demo/history.ts';
import { narrating } from '../demo/narrate.ts';
import { type DemoPlace, makePlace } from '../demo/place.ts';
import { demoContext, draftPlan, playConvoy, stagePlan } from '../demo/play.ts';
import { proveLanding } from '../demo/proof.ts';
import { tryService } from '../demo/service.ts';
import { setUpDemo } from '../demo/set-up.ts';
import { mustHaveShown, type Summary, summaryOf, summaryPage } from '../demo/summary.ts';
import type { RunningDaemon } from '../host.ts';
import { jsonLine } from '../json.ts';
import { Stop } from '../stop.ts';

const INTERRUPTED = 130;

/** Plays the demo, says how it went, and stays up to be looked at unless asked to end. */
export const run: Run<typeof demo> = async (outer) => {
  const { options, host, err } = outer;
  const began = performance.now();
  const place = makePlace(outer, options.keep);
  err(`1  A fresh repository and a workspace in ${place.repository}`);
  await setUpDemo(place, host);
  const { repository: dir, env } = place;
  const running = await host.run({ dir, env, port: options.port ?? null });
  if (!running.ok) return refused(running.error);
  err(`2  The engine is up at ${running.value.url}`);
  try {
    const summary = await played(demoContext(outer, place), place, began);
    if (summary === null) return { streamed: true, exit: INTERRUPTED };
    return options.exit ? shown(outer, summary) : await stayed(outer, running.value, summary);
  } catch (thrown) {
    if (options.exit || outer.signal.aborted || !(thrown instanceof Stop)) throw thrown;
    err(`error: ${thrown.message}`);
    await untilEnd(outer, running.value, dir);
    throw thrown;
  } finally {
    await running.value.stop();
  }
};

/** Null when it was interrupted. */
async function played(
  context: CommandContext,
  place: DemoPlace,
  began: number,
): Promise<Summary | null> {
  const { err } = context;
  err('3  The plan becomes tasks, and the tasks become a convoy');
  const report = await stagePlan(context, await draftPlan(context, place.shipped.plan));
  const { stagePage } = await import('../render/stage-view.ts');
  for (const line of stagePage(report, context)) err(line === '' ? '' : `   ${line}`);
  err('4  Agents take its tasks; every change is tested as it would land');
  const launched = performance.now();
  const convoy = await narrating(context, () => playConvoy(context, report.convoy_id));
  if (convoy === null) return null;
  const landed = performance.now();
  err('5  Git is asked whether everything is there');
  const proof = await proveLanding(place.repository, convoy);
  err('6  The landed service is started and used');
  const service = await tryService(place);
  const planned = report.waves.reduce((sum, { tasks }) => sum + tasks.length, 0);
  const history = await readHistory(context);
  const ms = {
    set_up: Math.round(launched - began),
    convoy: Math.round(landed - launched),
    total: Math.round(performance.now() - began),
  };
  return mustHaveShown(summaryOf({ place, planned, convoy, history, proof, service, ms }));
}

type View = Pick<CommandContext, 'out' | 'err' | 'json' | 'color' | 'columns' | 'signal'>;

const shown = (view: View, summary: Summary): Outcome => ({
  json: { demo: summary },
  text: () => summaryPage(summary, view),
});

async function stayed(view: View, daemon: RunningDaemon, summary: Summary): Promise<Outcome> {
  const lines = view.json
    ? [jsonLine({ schema: 'convoy.v1', demo: summary })]
    : summaryPage(summary, view);
  for (const line of lines) view.out(line);
  const why = await untilEnd(view, daemon, summary.repository);
  return { streamed: true, exit: why === null ? 0 : 1 };
}

/** Why the engine stopped by itself, or null when Ctrl-C ended it. */
async function untilEnd(
  { err, signal }: View,
  { url, stopped }: RunningDaemon,
  repository: string,
): Promise<string | null> {
  err(`Up at ${url}; look around with convoy -C ${repository} status. Ctrl-C ends it.`);
  const interrupted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  const why = await Promise.race([stopped, interrupted]);
  if (why !== null) err(`Stopped: ${why}.`);
  return why;
}
