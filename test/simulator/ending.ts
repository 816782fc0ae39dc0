import { approve, listApprovals } from '../../src/contract/routes/approvals.ts';
import { listConvoys, showConvoy, why } from '../../src/contract/routes/convoys.ts';
import type { ConvoyJson } from '../../src/contract/schemas/convoy.ts';
import { resumeQueue } from '../../src/contract/routes/queue.ts';
import { isLive } from '../../src/domain/work/attempt.ts';
import { attemptsOf } from '../../src/ledger/queries/attempts.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { TRUNK } from '../../src/simulator/memory-repository.ts';
import type { Made } from './actions.ts';
import type { SimRig } from './rig.ts';

const LONG_MS = 12 * 60_000;
/** So often people look whether something waits for them. */
const [LEAST_ROUNDS, MOST_ROUNDS] = [2, 15];
const WAITING = new Set(['open', 'failed', 'blocked', 'deferred', 'pinned', 'submitted']);

/** Lets the world be good, waits, and says what did not end landed or explained. */
export async function ending(rig: SimRig, made: Made): Promise<string[]> {
  rig.gate = 'fine';
  rig.origin.isUp = true;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const lived = rig.isRunning();
    await rig.ask(resumeQueue, { body: {} });
    await rig.start();
    const waited = await sayYes(rig);
    if (waited === 0 && lived && round >= LEAST_ROUNDS) break;
    await rig.time.pass(LONG_MS);
  }
  const { convoys } = await rig.call(listConvoys, { query: { all: 'true' } });
  const problems: string[] = [];
  for (const { id } of convoys) problems.push(...(await ofConvoy(rig, id)));
  for (const id of made.tasks) {
    const live = (await attemptsOf(rig.ledger.db, id)).filter(({ status }) => isLive(status));
    problems.push(...live.map((attempt) => `${attempt.id} of ${id} still lives`));
  }
  const { problems: broken } = await verifyLedger(rig.ledger.db);
  return [
    ...problems,
    ...rig.executor.running().map(({ spec }) => `${spec.id} still runs`),
    ...rig.repository.places.owners().map((owner) => `the worktree of ${owner} is not released`),
    ...broken.map(({ message }) => message),
    ...(await untold(rig)),
  ];
}

/** Every question that waits is answered, and what people are to merge is merged; says how many. */
async function sayYes(rig: SimRig): Promise<number> {
  const pulls = rig.forge.open();
  for (const number of pulls) rig.forge.mergeByHand(number);
  const { approvals } = await rig.call(listApprovals, { query: {} });
  for (const { id } of approvals) await rig.ask(approve, { params: { id }, body: {} });
  return pulls.length + approvals.length;
}

async function ofConvoy(rig: SimRig, id: string): Promise<string[]> {
  const { convoy } = await rig.call(showConvoy, { params: { id } });
  const problems = stuck(convoy);
  for (const task of convoy.tasks.filter(({ status }) => WAITING.has(status))) {
    if (convoy.status === 'landed')
      problems.push(`${id} has landed without ${task.id}, which is ${task.status}`);
    const { reasons } = await rig.call(why, { params: { id: task.id } });
    if (reasons.length === 0) problems.push(`nobody says why ${task.id} waits`);
  }
  return convoy.status === 'landed' ? [...problems, ...notInTrunk(rig, convoy)] : problems;
}

/** A convoy that could go on goes on; one that cannot says why, or has asked a person. */
function stuck({ id, feeding, status, reason, approvals }: ConvoyJson): string[] {
  if (status === 'stalled' && (reason ?? '') === '')
    return [`${id} is stalled and does not say why`];
  if (approvals.some(isPending)) return [];
  return feeding && (status === 'open' || status === 'landing')
    ? [`${id} is ${status} and nothing moves`]
    : [];
}

const isPending = (approval: unknown): boolean =>
  typeof approval === 'object' &&
  approval !== null &&
  Reflect.get(approval, 'status') === 'pending';

/** Landed is what git shows: the work of every merged task is in the target. */
function notInTrunk({ repository: { branches, store } }: SimRig, convoy: ConvoyJson): string[] {
  const inside = store.history(branches.get(TRUNK) ?? '');
  return convoy.tasks.flatMap(({ id, status, merged_commit: commit }) =>
    status === 'merged' && !inside.has(commit ?? '')
      ? [`${convoy.id} has landed and ${id} is not in ${TRUNK}`]
      : [],
  );
}

/** Everything that was to be told has reached the far end that can be told again. */
async function untold(rig: SimRig): Promise<string[]> {
  const rows = await rig.ledger.db.selectFrom('notification').select('id').execute();
  const known = new Set(
    rig.told
      .filter(({ to }) => to === 'webhook')
      .flatMap(({ message }) => message.notifications.map(({ id }) => id)),
  );
  return rows.flatMap(({ id }) => (known.has(id) ? [] : [`${id} was never told`]));
}
