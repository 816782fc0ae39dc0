import type { ConvoyJson } from '../../contract/schemas/convoy.ts';
import { cleanLine } from '../render/clean.ts';
import { facts } from '../render/facts.ts';
import { paletteFor } from '../render/paint.ts';
import { duration } from '../render/time.ts';
import type { History } from './history.ts';
import type { DemoPlace } from './place.ts';
import { wrong } from './play.ts';
import type { Proof } from './proof.ts';
import type { ServiceAnswers } from './service.ts';

/** All that the demo has to tell at its end. */
export type Summary = {
  readonly folder: string;
  readonly repository: string;
  readonly convoy: { readonly id: string; readonly status: string };
  readonly tasks: { readonly planned: number; readonly merged: number; readonly added: number };
  readonly attempts: number;
  readonly reworked: History['reworked'];
  readonly conflicts: readonly (History['conflicts'][number] & { readonly resolved: boolean })[];
  readonly review: {
    readonly rejected: number;
    readonly approved: number;
    readonly fix_tasks: number;
  };
  readonly gates: History['gates'];
  readonly landing: Proof;
  readonly service: ServiceAnswers;
  readonly ms: { readonly set_up: number; readonly convoy: number; readonly total: number };
};

export type Played = {
  readonly place: DemoPlace;
  readonly planned: number;
  readonly convoy: ConvoyJson;
  readonly history: History;
  readonly proof: Proof;
  readonly service: ServiceAnswers;
  readonly ms: Summary['ms'];
};

export function summaryOf(played: Played): Summary {
  const { place, planned, convoy, history, proof, service, ms } = played;
  const merged = new Set(
    convoy.tasks.filter(({ status }) => status === 'merged').map(({ id }) => id),
  );
  const added = convoy.tasks.length - planned;
  return {
    folder: place.folder,
    repository: place.repository,
    convoy: { id: convoy.id, status: convoy.status },
    tasks: { planned, merged: merged.size, added },
    attempts: history.attempts,
    reworked: history.reworked,
    conflicts: history.conflicts.map((one) => ({
      ...one,
      resolved: merged.has(one.task) && history.resolvers > 0,
    })),
    review: reviewOf(history, added),
    gates: history.gates,
    landing: proof,
    service,
    ms,
  };
}

function reviewOf({ reviews }: History, added: number): Summary['review'] {
  const count = (verdict: string): number => reviews.filter((one) => one === verdict).length;
  return { rejected: count('reject'), approved: count('approve'), fix_tasks: added };
}

/** The demo promises these; a run without them has not shown what it should. */
export function mustHaveShown(summary: Summary): Summary {
  const { tasks, reworked, conflicts, review } = summary;
  if (tasks.merged !== tasks.planned + tasks.added)
    throw wrong('demo_tasks', `Only ${tasks.merged} of ${tasks.planned} tasks were merged.`);
  if (reworked.length === 0) throw wrong('demo_rework', 'No test failed, though one should have.');
  if (conflicts.length === 0 || conflicts.some(({ resolved }) => !resolved))
    throw wrong('demo_conflict', 'No conflict was met and resolved, though one should have been.');
  if (review.rejected === 0 || review.approved === 0)
    throw wrong('demo_review', 'The reviewer should have said no once and then yes.');
  return summary;
}

export function summaryPage(
  summary: Summary,
  view: { readonly color: boolean; readonly columns: number },
): string[] {
  const { bold, grey, green } = paletteFor(view.color);
  const { tasks, gates, landing, service, ms } = summary;
  return [
    bold(green(`Landed: ${landing.commit.slice(0, 7)} on ${landing.target}`)),
    ...landing.commits.map((line) => cleanLine(`  ${line}`)),
    '',
    ...facts(
      [
        ['tasks', `${tasks.planned} from the plan, ${tasks.added} added, ${tasks.merged} merged`],
        ['attempts', String(summary.attempts)],
        ['reworked', summary.reworked.map(({ task, reason }) => `${task}: ${reason}`).join('; ')],
        ['conflict', summary.conflicts.map(conflictText).join('; ')],
        ['review', reviewText(summary)],
        ['gate runs', `${gates.runs}, ${gates.red} red`],
        [
          'proof',
          `git finds all ${landing.tasks_contained} tasks in ${landing.target}, tree ${landing.tree.slice(0, 7)}; the checkout is clean`,
        ],
        [
          'service',
          `GET /health ${service.health}, POST /links ${service.saved.status} (${service.saved.code}), GET /${service.saved.code} ${service.visited.status}, ${service.hits} visit counted`,
        ],
        ['took', `${duration(ms.total)} in all, ${duration(ms.convoy)} from launch to landing`],
        ['folder', summary.folder],
      ],
      view.columns,
      grey,
    ),
  ];
}

const conflictText = ({ task, files, resolved }: Summary['conflicts'][number]): string =>
  `${task} in ${files.join(', ')}, ${resolved ? 'resolved' : 'not resolved'}`;

const reviewText = ({ review }: Summary): string =>
  `${review.rejected} rejected with ${review.fix_tasks} task to mend it, ${review.approved} approved`;
