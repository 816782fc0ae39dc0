import type { ReviewPolicy } from '../../domain/convoy/convoy.ts';
import { reviewId } from '../../domain/review/review.ts';
import type { Finding } from '../../domain/review/verdict.ts';
import { reviewsOf } from '../../ledger/queries/reviews.ts';
import { addFollowUp } from '../merge/follow-up.ts';
import type { Heads, RepoLanding } from '../merge/land-convoy.ts';
import { repositoryOf } from '../targets.ts';
import { askPerson, findingsInWords, openReview } from './ask.ts';
import { briefOf, type ReviewBrief } from './brief.ts';
import { NO_REVIEWER } from './model-review.ts';
import { followReview, type ReviewMemory, spentWords } from './run-reviewer.ts';

export type GateVerdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'stalled'; readonly reason: string };

const PASSED: GateVerdict = { kind: 'passed' };
const WAITING: GateVerdict = { kind: 'waiting' };
const MOST_REJECTIONS = 3;

/** Whether the combined work of a convoy may enter the target's queue: agent first, then a person. */
export async function reviewLanding(
  place: RepoLanding,
  heads: Heads,
  memory: ReviewMemory,
): Promise<GateVerdict> {
  const { world, convoy, repo } = place;
  const policy: ReviewPolicy = convoy.options.review ?? repo.review;
  if (policy === 'none') return PASSED;
  const repository = await repositoryOf(world, repo);
  const tree = repository.ok ? await repository.value.facts.treeOf(heads.head) : null;
  if (tree?.ok !== true) return WAITING;
  const byAgent =
    policy === 'human' ? PASSED : await agentVerdict(place, heads, tree.value, memory);
  if (byAgent.kind !== 'passed' || policy === 'agent') return byAgent;
  return humanVerdict(place, heads, tree.value);
}

async function agentVerdict(
  place: RepoLanding,
  heads: Heads,
  tree: string,
  memory: ReviewMemory,
): Promise<GateVerdict> {
  const { world, convoy, name, repo } = place;
  if (repo.reviewer === null && (await world.reviewer()) === null)
    return { kind: 'stalled', reason: `${name} is to be reviewed by an agent: ${NO_REVIEWER}` };
  const { head, onto: base } = heads;
  const id = reviewId(convoy.id, name, tree);
  const subject = { id, convoy: convoy.id, repo: name, change: null, head, base, tree };
  const review = await openReview(world, subject);
  switch (review.status) {
    case 'approved':
      return PASSED;
    case 'rejected':
      return rejected(place, review.id, 'The review', review.findings);
    case 'failed':
      return {
        kind: 'stalled',
        reason: `no verdict after ${review.tries} reviews: ${review.reason ?? ''}; convoy land ${convoy.id} asks again`,
      };
    default:
      if (review.status === 'waiting' && convoy.spending?.stops === true)
        return { kind: 'stalled', reason: `the review of ${name} waits: ${spentWords(convoy)}` };
      followReview(world, memory, review, repo, landingBrief(place));
      return WAITING;
  }
}

const landingBrief = ({ convoy, tasks, name }: RepoLanding): ReviewBrief =>
  briefOf(
    convoy.title,
    tasks.filter(({ repo, status }) => repo === name && status === 'merged'),
  );

async function humanVerdict(
  place: RepoLanding,
  { head, onto, target }: Heads,
  tree: string,
): Promise<GateVerdict> {
  const { world, convoy, name } = place;
  const approval = await askPerson(world, {
    kind: 'review',
    subject: convoy.id,
    lane: name,
    subjectHash: tree,
    summary: `Land ${convoy.title} in ${target} of ${name}`,
    details: { head, onto, target, repo: name, tree },
  });
  if (approval.status === 'approved') return PASSED;
  if (approval.status !== 'rejected') return WAITING;
  const text = approval.decision?.reason ?? 'rejected without a reason';
  const finding: Finding = { file: null, line: null, severity: 'error', text };
  return rejected(place, approval.id, approval.decision?.actor ?? 'A person', [finding]);
}

/** A no asks for work inside the convoy; after a few, for a person. */
async function rejected(
  place: RepoLanding,
  answers: string,
  who: string,
  findings: readonly Finding[],
): Promise<GateVerdict> {
  const { world, convoy, name } = place;
  const noes = (await reviewsOf(world.ledger.db, convoy.id)).filter(
    ({ status, repo }) => status === 'rejected' && repo === name,
  );
  if (noes.length > MOST_REJECTIONS)
    return { kind: 'stalled', reason: `the review of ${name} said no ${noes.length} times` };
  const made = await addFollowUp(world, convoy, {
    answers,
    kind: 'review',
    repo: name,
    title: `Mend what the review of ${convoy.title} found`,
    description: `${who} said no to the work of ${convoy.id}:\n\n${findingsInWords(findings)}`,
  });
  return made === null
    ? { kind: 'stalled', reason: `the review of ${name} said no, and its task changed nothing` }
    : WAITING;
}
