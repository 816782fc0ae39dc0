import { type EventJson, listEvents } from '../../contract/routes/system.ts';
import type { CommandContext } from '../context.ts';

type Caller = Pick<CommandContext, 'call'>;

/** What the ledger recorded that the demo wants to show. */
export type History = {
  readonly attempts: number;
  /** Tasks that had to be done again because a gate said no. */
  readonly reworked: readonly { readonly task: string; readonly reason: string }[];
  readonly conflicts: readonly { readonly files: readonly string[]; readonly task: string }[];
  /** How often an agent was sent to resolve a conflict. */
  readonly resolvers: number;
  /** The verdicts of reviewers, in order. */
  readonly reviews: readonly string[];
  readonly gates: { readonly runs: number; readonly red: number };
};

export async function readHistory({ call }: Caller): Promise<History> {
  const { events } = await call(listEvents, { query: { after: 0, limit: MOST } });
  const attempts = events.flatMap(attemptIn);
  const reworks = events.flatMap(reworkIn);
  return {
    attempts: attempts.length,
    reworked: reworks.flatMap(({ task, reason, files }) =>
      files === null ? [{ task, reason }] : [],
    ),
    conflicts: reworks.flatMap(({ task, files }) => (files === null ? [] : [{ task, files }])),
    resolvers: attempts.filter(({ role }) => role === 'resolver').length,
    reviews: events.flatMap(verdictIn),
    gates: {
      runs: new Set(verifications(events, 'change-verification-started')).size,
      red: events.filter(({ kind }) => kind === 'change-turned-red').length,
    },
  };
}

const MOST = 10_000;

/** What went wrong and what happens about it, in the words of a story; null for all else. */
export function storyLine(event: EventJson): string | null {
  const [verdict] = verdictIn(event);
  if (verdict === 'reject') return 'the reviewer says no; a task is added for what was found';
  if (verdict !== undefined) return `the reviewer's verdict: ${verdict}`;
  const [rework] = reworkIn(event);
  if (rework === undefined) return null;
  const { task, reason, files } = rework;
  const next = files === null ? 'it is done again, with the log' : 'an agent resolves it';
  return `${task}: ${reason}; ${next}`;
}

const verdictIn = ({ kind, data }: EventJson): string[] =>
  kind === 'review-answered' ? [textIn(data, 'verdict')] : [];

type Rework = { task: string; reason: string; files: string[] | null };

function reworkIn({ kind, subject, data }: EventJson): Rework[] {
  if (kind !== 'rework-asked') return [];
  const reason = textIn(data, 'reason');
  const files = /^it conflicts with \S+ in (.+)$/.exec(reason)?.[1]?.split(', ') ?? null;
  return [{ task: subject.replace(/^task\//, ''), reason, files }];
}

function attemptIn({ kind, data }: EventJson): { role: string }[] {
  const opened = kind === 'attempt-opened' ? data['attempt'] : null;
  if (typeof opened !== 'object' || opened === null) return [];
  return [{ role: textIn({ ...opened }, 'role') }];
}

const verifications = (events: readonly EventJson[], wanted: string): string[] =>
  events.flatMap(({ kind, data }) => (kind === wanted ? [textIn(data, 'verification')] : []));

function textIn(data: Readonly<Record<string, unknown>>, name: string): string {
  const value = data[name];
  return typeof value === 'string' ? value : '';
}
