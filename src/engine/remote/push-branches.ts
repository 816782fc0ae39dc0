import { afterLook } from '../../domain/remote/after-look.ts';
import { type Branch, isWanted } from '../../domain/remote/branch.ts';
import { type Learnt, learnt } from '../../domain/remote/learn.ts';
import { branchAggregate } from '../../ledger/aggregates/branch.ts';
import { unsentBranches } from '../../ledger/queries/branches.ts';
import { ok } from '../../lib/result.ts';
import type { PushRejected, UnknownRevision } from '../../ports/repository.ts';
import { crashPoint } from '../crash-points.ts';
import { noAnswerWords, type Origin, originAnswered, originFailed, seeOrigin } from './origin.ts';
import { isDue, type Publishing, recordAs, waitLonger } from './publishing.ts';

/** More would make one connection last too long. */
const MOST_AT_ONCE = 50;
const NO_ORIGIN = 'there is no remote called origin any more';

/** Branches of a repo that may be sent now; none while its remote gives no answer. */
export async function dueBranches(place: Publishing, repo: string): Promise<Branch[]> {
  const { world, settings, memory } = place;
  if (settings.repos[repo]?.delivery === 'local' || !isDue(place, memory.origins.get(repo)))
    return [];
  return (await unsentBranches(world.ledger.db, repo))
    .filter(({ id }) => isDue(place, memory.branches.get(id)))
    .slice(0, MOST_AT_ONCE);
}

/**
 * Brings branches of a repo to where they should be on its remote: always the newest commit, many in one
 * connection, never over commits of somebody else. What it could not do it finds again next time.
 */
export async function pushBranches(place: Publishing, repo: string): Promise<void> {
  const { world, settings } = place;
  const seen = await seeOrigin(world, settings, repo);
  if (seen.kind === 'none') return originFailed(place, repo, { reason: NO_ORIGIN, held: false });
  if (seen.kind === 'trouble') return originFailed(place, repo, seen);
  const branches = await dueBranches(place, repo);
  const answers: Answers = new Map();
  const silence = await exchange(seen.origin, branches, answers);
  // What the remote took before it fell silent is known all the same.
  await keep(place, answers);
  if (silence === null) await originAnswered(place, seen.origin);
  else await originFailed(place, repo, { reason: silence, held: false });
}

type Answers = Map<Branch, Learnt>;
type Wish = { readonly branch: Branch; readonly expected: string | null };

/** Sends what we believe, and looks where that was wrong; says why the remote gave no answer, if so. */
async function exchange(
  origin: Origin,
  branches: readonly Branch[],
  answers: Answers,
): Promise<string | null> {
  // A branch that leaves and was never recorded as pushed may be there all the same.
  const known = branches.filter((branch) => isWanted(branch) || branch.pushed !== null);
  const first = await send(
    origin,
    known.map((branch) => ({ branch, expected: branch.pushed })),
    answers,
  );
  if (first.silence !== null) return first.silence;
  const unsure = [...branches.filter((branch) => !known.includes(branch)), ...first.rejected];
  if (unsure.length === 0) return null;
  const seen = await look(origin, unsure, answers);
  if (typeof seen === 'string') return seen;
  const again = await send(origin, seen, answers);
  for (const branch of again.rejected)
    answers.set(branch, { kind: 'refused', detail: 'it moves while we look' });
  return again.silence;
}

/** What is really there decides how each of them is to be sent. */
async function look(
  { repository, url }: Origin,
  unsure: readonly Branch[],
  answers: Answers,
): Promise<Wish[] | string> {
  const listed = await repository.remote.list(url, 'convoy/');
  if (!listed.ok) return noAnswerWords(listed.error);
  const wishes: Wish[] = [];
  for (const branch of unsure) {
    const there = listed.value.find(({ name }) => name === branch.name)?.commit ?? null;
    const inside = there === null ? null : await repository.facts.isAncestor(there, branch.last);
    const next = afterLook(branch, there, inside?.ok === true && inside.value);
    if (next.do === 'record') answers.set(branch, { kind: 'as-wished' });
    else if (next.do === 'leave') answers.set(branch, { kind: 'foreign' });
    else wishes.push({ branch, expected: next.expected });
  }
  return wishes;
}

type Sent = { readonly silence: string | null; readonly rejected: readonly Branch[] };

async function send(origin: Origin, wishes: readonly Wish[], answers: Answers): Promise<Sent> {
  if (wishes.length === 0) return { silence: null, rejected: [] };
  const sent = await origin.repository.remote.pushAll(
    origin.url,
    wishes.map(({ branch, expected }) => ({
      branch: branch.name,
      commit: isWanted(branch) ? branch.last : null,
      expected,
    })),
  );
  crashPoint(wishes.every(({ branch }) => isWanted(branch)) ? 'branch-sent' : 'branch-deleted');
  if (!sent.ok) return { silence: noAnswerWords(sent.error), rejected: [] };
  const rejected: Branch[] = [];
  const refused: Wish[] = [];
  for (const [at, wish] of wishes.entries()) {
    const answer = sent.value[at];
    if (answer?.ok !== false) answers.set(wish.branch, { kind: 'as-wished' });
    else if (isRefusal(answer.error)) {
      refused.push(wish);
      answers.set(wish.branch, { kind: 'refused', detail: answer.error.detail });
    } else rejected.push(wish.branch);
  }
  if (wishes.length === 1) return { silence: null, rejected };
  return alone(origin, refused, answers, rejected);
}

/** A remote that refuses one branch may refuse all that came with it. */
async function alone(
  origin: Origin,
  refused: readonly Wish[],
  answers: Answers,
  rejected: readonly Branch[],
): Promise<Sent> {
  const all = [...rejected];
  for (const wish of refused) {
    const one = await send(origin, [wish], answers);
    if (one.silence !== null) return { silence: one.silence, rejected: all };
    all.push(...one.rejected);
  }
  return { silence: null, rejected: all };
}

const isRefusal = (error: PushRejected | UnknownRevision): error is PushRejected =>
  error.kind === 'push_rejected' && error.reason === 'refused_by_remote';

async function keep(place: Publishing, answers: Answers): Promise<void> {
  if (answers.size === 0) return;
  const { branches } = place.memory;
  const tries = new Map<Branch, number>();
  for (const [branch, { kind }] of answers) {
    if (kind === 'as-wished') branches.delete(branch.id);
    else tries.set(branch, waitLonger(place, branches, branch.id));
  }
  await recordAs(place, async (tx) => {
    for (const [branch, what] of answers) {
      const now = await tx.load(branchAggregate, branch.id);
      const events = now === null ? [] : learnt(now.state, branch, what, tries.get(branch) ?? 0);
      if (events.length > 0) await tx.record(branchAggregate, branch.id, events);
    }
    return ok(null);
  });
}
