import { readFileSync } from 'node:fs';
import type { Client } from '../../client/client.ts';
import { launchConvoy, showConvoy, stageConvoy } from '../../contract/routes/convoys.ts';
import { draftTasks } from '../../contract/routes/interchange.ts';
import type { ConvoyJson } from '../../contract/schemas/convoy.ts';
import type { StageReport } from '../../contract/schemas/stage.ts';
import type { CommandContext } from '../context.ts';
import { waitForConvoy } from '../run/wait-convoy.ts';
import { Stop } from '../stop.ts';
import type { DemoPlace } from './place.ts';

/** Everything a command needs, said to the workspace of the demo. */
export function demoContext(context: CommandContext, place: DemoPlace): CommandContext {
  const { host, signal } = context;
  let known: Promise<Client> | null = null;
  const reconnect = async (): Promise<Client> => {
    const answer = await host.connect({ dir: place.repository, env: place.env, signal });
    if (!answer.ok) throw new Stop(answer.error);
    return answer.value;
  };
  const client = async (): Promise<Client> => await (known ??= reconnect());
  return {
    ...context,
    dir: place.repository,
    env: place.env,
    client,
    reconnect,
    call: async (route, input) => {
      const answer = await (await client()).call(route, input);
      if (!answer.ok) throw new Stop(answer.error);
      return answer.value;
    },
  };
}

/** The plan as an epic with tasks. */
export async function draftPlan(context: CommandContext, plan: string): Promise<string> {
  const text = readFileSync(plan, 'utf8');
  const { root } = await context.call(draftTasks, {
    body: { text, name: 'service', dry_run: false },
  });
  if (root === null) throw wrong('demo_draft', `${plan} gave no tasks.`);
  return root;
}

export async function stagePlan(
  context: CommandContext,
  root: string,
): Promise<StageReport & { readonly convoy_id: string }> {
  const report = await context.call(stageConvoy, {
    body: { targets: [root], launch: false, force: false },
  });
  const { convoy_id } = report;
  if (convoy_id !== null) return { ...report, convoy_id };
  throw wrong('demo_stage', 'The plan could not be staged.', report.errors[0]?.message);
}

/** Launches and tells what happens, line by line, until the convoy has ended; null on Ctrl-C. */
export async function playConvoy(context: CommandContext, id: string): Promise<ConvoyJson | null> {
  const { call, signal } = context;
  await call(launchConvoy, { body: { targets: [id], force: true } });
  // Lines on stderr, also with --json and on a terminal: the demo is a story, not a page.
  await waitForConvoy({ ...context, json: false, interactive: false }, id);
  if (signal.aborted) return null;
  const { convoy } = await call(showConvoy, { params: { id } });
  if (convoy.status === 'landed') return convoy;
  throw wrong(
    'demo_convoy',
    `The convoy did not land: it is ${convoy.status}.`,
    convoy.reason ?? undefined,
  );
}

export const wrong = (code: string, message: string, cause?: string): Stop =>
  new Stop({
    kind: 'refused',
    code,
    message,
    ...(cause === undefined ? {} : { cause }),
    remedy: 'Run convoy demo without --exit and look around with convoy status, why and logs.',
  });
