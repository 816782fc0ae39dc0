import type { VerificationOutcome } from '../../domain/merge/change.ts';
import { queueId } from '../../domain/merge/queue.ts';
import { gathers } from '../../domain/merge/gather.ts';
import type { QueueStep, Verification } from '../../domain/merge/queue-view.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { ok } from '../../lib/result.ts';
import { crashPoint } from '../crash-points.ts';
import { crowdOf } from '../crowd.ts';
import { ENGINE } from '../world.ts';
import { answerAbout, recordAnswer, rememberAnswer } from './answers.ts';
import { type Mark, markVerifying } from './mark-verifying.ts';
import type { Seen } from './look.ts';
import { noteEnd } from './pending-answers.ts';
import type { Place, Running } from './queue-run.ts';
import { verificationId } from './verification-id.ts';
import { type Answer, verifyTree } from './verify.ts';
import { warmUp } from './warm-up.ts';

type VerifyStep = Extract<QueueStep, { do: 'verify' }>;

const LOOK_AGAIN_MS = 30;

type Begun = Running & { readonly commit: string };

/** Begins gate runs in the background, all recorded at once; true when the planner sees something new. */
export async function startVerifications(
  place: Place,
  { view: { entries, slots }, crowd }: Pick<Seen, 'view' | 'crowd'>,
  steps: readonly VerifyStep[],
): Promise<boolean> {
  const { world, memory } = place;
  if (steps.length > 0 && gathers(entries.length, slots, crowd)) {
    const { coming } = crowdOf(world, place);
    // They have come since the look.
    if (coming < crowd.coming) return true;
    // Whoever comes wakes the loop; this is for the one who came between two looks.
    memory.putOffUntil = world.timers.monotonic() + LOOK_AGAIN_MS;
    return false;
  }
  const begun: Begun[] = [];
  let moved = false;
  for (const step of steps) {
    const next = memory.retired ? 'none' : await nextVerification(place, step);
    if (next === 'none') continue;
    moved = true;
    if (next !== 'answered') begun.push(next);
  }
  if (begun.length === 0) return moved;
  for (const { commit: _, ...run } of begun) memory.running.set(run.id, run);
  world.executor.expect?.(begun.length);
  await world.ledger.write(ENGINE, async (tx) => {
    for (const { id, members } of begun) await markVerifying(tx, members, id, { kind: 'start' });
    return ok(null);
  });
  crashPoint('verification-recorded');
  for (const { commit, id, stop, base, tree, members } of begun) {
    const run = verify(place, commit, id, { base, tree, members }, stop.signal);
    memory.under.add(run);
    void run.finally(() => memory.under.delete(run));
  }
  return true;
}

/** What is to be run for a step; what is known already needs no run. */
async function nextVerification(
  place: Place,
  step: VerifyStep,
): Promise<Begun | 'answered' | 'none'> {
  const { world, memory, settings, repo } = place;
  const built = [...memory.stacks.values()].find(({ tree }) => tree === step.tree);
  if (built === undefined) return 'none';
  const answer = { base: step.base, tree: step.tree, members: step.members };
  if (settings.gates.length === 0) {
    await rememberAnswer(world.ledger, repo, settings, answer, { colour: 'green' });
    return 'answered';
  }
  const known = await answerAbout(world.ledger.db, repo, settings, step.tree);
  if (known !== null) {
    await rememberAnswer(world.ledger, repo, settings, answer, known);
    return 'answered';
  }
  const id = verificationId(world, step.tree);
  const begunAt = world.timers.monotonic();
  return { id, ...answer, commit: built.commit, begunAt, stop: new AbortController() };
}

/** Runs in the background; its end wakes the loop. */
async function verify(
  place: Place,
  commit: string,
  id: string,
  about: Pick<Verification, 'base' | 'tree' | 'members'>,
  stop: AbortSignal,
): Promise<void> {
  const { world, repository, settings, repo } = place;
  let warmed: Promise<unknown> = Promise.resolve();
  const begun = (): void => {
    warmed = warmUp(place, about.members, commit).catch((error: unknown) =>
      world.log(`${id}: no worktree was made ready: ${String(error)}`),
    );
  };
  try {
    const {
      answer: said,
      retried,
      cleared,
    } = await verifyTree(world, repository, settings, { name: id, commit, begun }, stop);
    crashPoint('gates-answered');
    if (said.colour === 'broken') await pauseForGate(place, said.gate, said.because);
    const mark: Mark = { kind: 'end', outcome: outcomeOf(said.colour, stop), retried };
    crashPoint('answer-kept');
    // The answer is kept before the run is forgotten, or the planner would order the same run again.
    await world.ledger.write(ENGINE, async (tx) => {
      if (said.colour === 'green' || said.colour === 'red')
        await recordAnswer(tx, repo, settings, about, said);
      await markVerifying(tx, about.members, id, mark);
      return ok(null);
    });
    noteEnd(place, id, said.colour === 'green' || said.colour === 'red');
    crashPoint('verification-ended');
    // Where there was no answer, the slow sweep asks again.
    if (said.colour === 'none') world.log(`${id}: ${said.because}`);
    else place.wake();
    await Promise.all([cleared, warmed]);
  } catch (error) {
    noteEnd(place, id, false);
    world.log(`${id}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function outcomeOf(colour: Answer['colour'], stop: AbortSignal): VerificationOutcome {
  if (colour === 'green' || colour === 'red') return colour;
  return stop.aborted ? 'cancelled' : 'errored';
}

/** A gate that cannot answer stops the queue; it never opens it. */
async function pauseForGate(place: Place, gate: string, because: string): Promise<void> {
  const { world, repo, target } = place;
  const reason = `gate ${gate} is broken: ${because}`;
  await world.ledger.write(ENGINE, async (tx) => {
    await tx.record(queueAggregate, queueId(repo, target), [
      { type: 'queue-paused', by: 'gate', reason },
    ]);
    return ok(null);
  });
}
