import { isQuestion } from '../approval/approval.ts';
import type { ApprovalNotice } from './approval-notice.ts';
import type { EscalationNotice } from './escalation-notice.ts';
import type { ConvoyNotice } from './notice.ts';
import type { Item, MergedItem, WorkFacts } from './work-facts.ts';

/** What people read: one line, and the rest. */
export type Telling = { readonly title: string; readonly text: string };

/** Says in words what happened to a convoy, and leaves nothing out without saying so. */
export function tellConvoy(notice: ConvoyNotice, facts: WorkFacts): Telling {
  const { convoy, kind, reason } = notice;
  const name = `${oneLine(convoy.title)} (${convoy.id})`;
  const because = reason === null ? '' : `: ${oneLine(reason)}`;
  switch (kind) {
    case 'launched':
      return { title: `Launched: ${name}`, text: lines(`${count(allOf(facts))} to do.`) };
    case 'stalled':
      return {
        title: `Stalled: ${name}${because}`,
        text: lines(stood(facts), ...listed('Failed', facts.failed), `convoy why ${convoy.id}`),
      };
    case 'landed':
      return { title: `Landed: ${name}, ${count(facts.merged.length)}`, text: ending(facts) };
    case 'closed':
      return { title: `Closed: ${name}${because}`, text: ending(facts) };
    case 'budget_near':
    case 'budget_spent':
      return tellBudget(kind, convoy.id, `${name}${because}`, facts);
    default:
      return { title: `Cancelled: ${name}${because}`, text: ending(facts) };
  }
}

function tellBudget(kind: string, id: string, what: string, facts: WorkFacts): Telling {
  const lift = `convoy edit ${id} --budget usd=… gives it another budget.`;
  return kind === 'budget_near'
    ? { title: `Budget nearly spent: ${what}`, text: lines(stood(facts), lift) }
    : {
        title: `Budget spent: ${what}`,
        text: lines(stood(facts), 'Nothing more is started; work so far is kept.', lift),
      };
}

/** Says that somebody waits for a yes or a no. */
export function tellApproval({ subject, wish }: ApprovalNotice): Telling {
  const id = subject.slice(subject.indexOf('/') + 1);
  if (isQuestion(wish))
    return {
      title: `Question waiting: ${cut(oneLine(wish.summary))} (${id})`,
      text: lines(oneLine(wish.summary), `convoy answer ${id} "…", or convoy reject ${id}`),
    };
  const what = wish.kind.replaceAll('_', ' ');
  return {
    title: `Approval waiting: ${what} for ${oneLine(wish.subject)} (${id})`,
    text: lines(oneLine(wish.summary), `convoy approve ${id}, or convoy reject ${id}`),
  };
}

/** Says that an agent cannot or may not decide something by itself. */
export function tellEscalation({ attempt, severity, text }: EscalationNotice): Telling {
  const urgent = severity === 'high' ? ' (urgent)' : '';
  return {
    title: `Needs a decision${urgent}: ${attempt.task}: ${cut(oneLine(text))}`,
    text: lines(
      `${oneLine(attempt.agent)} says in attempt ${attempt.number} at ${attempt.task}:`,
      `  ${oneLine(text)}`,
      `convoy logs ${attempt.id}`,
    ),
  };
}

const LONGEST_TITLE = 200;
const cut = (text: string): string =>
  text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE)}…` : text;

function ending(facts: WorkFacts): string {
  const { merged, closed, skipped, failed, cancelled, unfinished, landings, cost } = facts;
  const spent =
    cost.usd === 0 && cost.tokens === 0
      ? 'no cost was reported'
      : `$${cost.usd.toFixed(2)} and ${cost.tokens} tokens`;
  return lines(
    ...section('Merged', merged.map(mergedLine)),
    ...listed('Done without code', closed),
    ...listed('Skipped', skipped),
    ...listed('Failed', failed),
    ...listed('Cancelled', cancelled),
    ...(unfinished > 0 ? [`Not finished: ${count(unfinished)}`] : []),
    ...landings.map(({ repo, target, commit }) => `Landed in ${repo}, ${target}: ${short(commit)}`),
    `Took ${duration(facts.durationMs)}; ${spent}.`,
  );
}

const stood = (facts: WorkFacts): string =>
  `${facts.merged.length + facts.closed.length} of ${count(allOf(facts) - facts.skipped.length - facts.cancelled.length)} done, ${facts.failed.length} failed.`;

const allOf = ({ merged, closed, skipped, failed, cancelled, unfinished }: WorkFacts): number =>
  merged.length + closed.length + skipped.length + failed.length + cancelled.length + unfinished;

const MOST_LISTED = 20;

const listed = (heading: string, items: readonly Item[]): string[] =>
  section(
    heading,
    items.map(({ id, title, note }) => `${id} ${oneLine(title)}: ${oneLine(note)}`),
  );

export function section(heading: string, entries: readonly string[]): string[] {
  if (entries.length === 0) return [];
  const more = entries.length - MOST_LISTED;
  return [
    `${heading}:`,
    ...entries.slice(0, MOST_LISTED).map((entry) => `  ${entry}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

const mergedLine = ({ id, title, commit, unverified }: MergedItem): string =>
  `${id} ${oneLine(title)} ${short(commit)}${unverified ? ' (unverified)' : ''}`;

const short = (commit: string): string => commit.slice(0, 10);
export const count = (many: number, of = 'task'): string => `${many} ${many === 1 ? of : `${of}s`}`;
const lines = (...all: readonly string[]): string => all.join('\n');

/** Titles and reasons are other people's text: no line of theirs may pass for one of ours. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
