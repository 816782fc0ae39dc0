import { refused, type Run } from '../command.ts';
import type { demo } from '../commands/demo.ts';
import { makePlace } from '../demo/place.ts';
import { demoContext, draftPlan, playConvoy, stagePlan } from '../demo/play.ts';
import { setUpDemo } from '../demo/set-up.ts';
import { tryService } from '../demo/service.ts';

export const run: Run<typeof demo> = async (outer) => {
  const { options, host, err } = outer;
  const place = makePlace(outer, options.keep);
  err(`folder ${place.folder}`);
  await setUpDemo(place, host);
  const running = await host.run({
    dir: place.repository,
    env: place.env,
    port: options.port ?? null,
  });
  if (!running.ok) return refused(running.error);
  try {
    const context = demoContext(outer, place);
    const root = await draftPlan(context, place.shipped.plan);
    const report = await stagePlan(context, root);
    const convoy = await playConvoy(context, report.convoy_id ?? '');
    const service = await tryService(place);
    return { json: { convoy, service, place }, text: () => 'x' };
  } finally {
    await running.value.stop();
  }
};
