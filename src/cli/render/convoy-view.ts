import type { ConvoyJson, ConvoyRowJson, ProgressJson } from '../../contract/schemas/convoy.ts';
import { asksWords } from './asks.ts';
import { misdeedWords } from './misdeeds.ts';
import { facts } from './facts.ts';
import { heading, oneLine } from './heading.ts';
import { paletteFor } from './paint.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { duration, relative } from './time.ts';
import { tree } from './tree.ts';

/** `cv-7k2  ● open  3/10  Title` */
export function convoyLine(
  convoy: ConvoyRowJson,
  { color, columns }: Pick<View, 'color' | 'columns'>,
): string {
  const { done, required } = convoy.progress;
  const state = status('convoy', convoy.status, paletteFor(color));
  return oneLine([convoy.id, state, `${done}/${required}`, convoy.title], columns);
}

/** `3 of 10 done (2 merged, 1 closed), 1 failed, 2 running` */
export function progressWords(progress: ProgressJson): string {
  const apart = (['failed', 'skipped', 'running', 'queued'] as const)
    .filter((name) => progress[name] > 0)
    .map((name) => `${progress[name]} ${name}`);
  const done = `${progress.done} of ${progress.required} done (${progress.merged} merged, ${progress.closed} closed)`;
  return [done, ...apart].join(', ');
}

export function convoyTable(convoys: readonly ConvoyRowJson[], view: View): string[] {
  const palette = paletteFor(view.color);
  const rows = convoys.map((convoy) => [
    convoy.id,
    status('convoy', convoy.status, palette),
    `${convoy.progress.done}/${convoy.progress.required}`,
    relative(Date.parse(convoy.created_at), view.now()),
    convoy.title,
  ]);
  const columns = [
    { title: 'ID', min: 8 },
    { title: 'STATUS', min: 13 },
    { title: 'DONE', align: 'right' as const },
    { title: 'CREATED' },
    { title: 'TITLE', min: 10 },
  ];
  return table(columns, rows, view.columns, palette.grey);
}

export function convoyTree(convoys: readonly ConvoyJson[], view: View): string[] {
  const palette = paletteFor(view.color);
  const nodes = convoys.map((convoy) => ({
    label: `${convoy.id}  ${convoy.title}`,
    suffix: status('convoy', convoy.status, palette),
    children: convoy.tasks.map((task) => ({
      label: `${task.id}  ${task.title}`,
      suffix: status('task', task.status, palette),
      children: [],
    })),
  }));
  return tree(nodes, view.columns);
}

export function convoyPage(convoy: ConvoyJson, view: View): string[] {
  const palette = paletteFor(view.color);
  const { usd, tokens, minutes } = convoy.cost;
  const ahead = convoy.conflicts_ahead.map(
    ({ tasks, files }) => `${tasks.join(' and ')} in ${files.slice(0, 3).join(', ')}`,
  );
  const landings = convoy.landings.map(
    ({ repo, target, commit, proof }) => `${repo}: ${commit.slice(0, 12)} in ${target} (${proof})`,
  );
  const pulls = convoy.pull_requests.map(pullWords);
  const asks = convoy.tasks.flatMap((task) => task.asks.map(asksWords));
  const misdeeds = convoy.tasks.flatMap((task) =>
    task.misdeeds.map((misdeed) => `${task.id} ${misdeedWords(misdeed)}`),
  );
  return [
    ...heading(convoy.id, convoy.title, view),
    '',
    ...facts(
      [
        ['status', status('convoy', convoy.status, palette)],
        ['because', convoy.reason],
        ['progress', progressWords(convoy.progress)],
        ['feeding', feedingWords(convoy)],
        ['merge mode', convoy.merge_mode],
        ['branch', branchWords(convoy)],
        ['origin', listed(convoy.remotes.map(remoteWords))],
        ['owner', convoy.owner],
        ['watchers', listed(convoy.watchers, ', ')],
        ['review', listed(convoy.review.map(reviewWords))],
        ['asks you', listed(asks)],
        ['misdeeds', listed(misdeeds)],
        ['conflicts ahead', listed(ahead)],
        ['landed', listed(landings)],
        ['pull requests', listed(pulls)],
        ['cost', usd + tokens + minutes === 0 ? null : costWords(convoy.cost)],
        ['budget', convoy.spending === null ? null : budgetWords(convoy.spending)],
        ['ready by', convoy.eta === null ? null : etaWords(convoy.eta, view.now())],
      ],
      view.columns,
      palette.grey,
    ),
    ...(convoy.tasks.length === 0 ? [] : ['', ...taskRows(convoy, view)]),
  ];
}

const listed = (lines: readonly string[], between = '\n'): string | null =>
  lines.length === 0 ? null : lines.join(between);

const branchWords = ({ integration_branch: branch, branch_pending: pending }: ConvoyJson): string =>
  pending === null ? branch : `${branch}\npending: ${pending}`;

/** `main: 3 pushed, 1 waits: origin cannot be reached` */
function remoteWords({ repo, trouble, branches, ...counts }: RemoteJson): string {
  const { pushed, waiting, leaving, removed } = counts;
  const parts = [
    pushed > 0 ? `${pushed} pushed` : '',
    waiting > 0 ? `${waiting} to be pushed` : '',
    leaving > 0 ? `${leaving} to be deleted` : '',
    removed > 0 ? `${removed} deleted` : '',
    branches.some(({ state }) => state === 'left') ? 'some left' : '',
  ].filter((part) => part !== '');
  const line = `${repo}: ${parts.join(', ')}${trouble === null ? '' : `; ${trouble}`}`;
  return [line, ...branches.map(({ reason }) => `${repo}: ${reason}`)].join('\n');
}

type RemoteJson = ConvoyJson['remotes'][number];

/** `#7 open, it needs an approval  https://…` */
export function pullWords({
  number,
  url,
  state,
  waits,
  closing,
}: ConvoyJson['pull_requests'][number]): string {
  const name = number === null ? 'not opened yet' : `#${number} ${state}`;
  const now = closing ? 'being closed' : waits;
  return `${name}${now === null ? '' : `, ${now}`}${url === null ? '' : `  ${url}`}`;
}

/** An estimate, and it says so. */
const etaWords = (eta: string, now: number): string =>
  `about ${eta.slice(0, 16)}Z (${relative(Date.parse(eta), now)}), if nothing fails`;

const costWords = ({ usd, tokens, minutes }: ConvoyJson['cost']): string =>
  `$${usd.toFixed(2)}, ${tokens} tokens, ${duration(minutes * 60_000)} of agents`;

const budgetWords = ({ level, words }: NonNullable<ConvoyJson['spending']>): string =>
  level === 'spent' ? `spent: ${words}` : `nearly spent: ${words}`;

/** `main: rejected by model, 2 findings` */
function reviewWords({
  repo,
  change,
  status: now,
  by,
  tries,
  findings,
  reason,
}: ReviewJson): string {
  const who = by === null ? '' : ` by ${by}`;
  const found = findings.length === 0 ? '' : `, ${findings.length} findings`;
  const again = reason === null ? '' : `, try ${tries}: ${reason}`;
  return `${change ?? repo}: ${now}${who}${found}${again}`;
}

type ReviewJson = ConvoyJson['review'][number];

function taskRows(convoy: ConvoyJson, view: View): string[] {
  const palette = paletteFor(view.color);
  const rows = convoy.tasks.map((task) => [
    task.wave === null ? '' : String(task.wave),
    task.id,
    status('task', task.status, palette),
    whereIs(task),
    [task.title, task.unverified ? '(unverified)' : '', task.last_error ?? '']
      .filter((part) => part !== '')
      .join('  '),
  ]);
  const columns = [
    { title: 'WAVE', align: 'right' as const },
    { title: 'ID', min: 8 },
    { title: 'STATUS', min: 13 },
    { title: 'WHERE', max: 24 },
    { title: 'TITLE', min: 10 },
  ];
  return table(columns, rows, view.columns, palette.grey);
}

/** Nothing for a convoy that has ended: there is nothing left to feed. */
function feedingWords({ feeding, status: now }: ConvoyJson): string | null {
  if (now === 'landed' || now === 'closed' || now === 'cancelled') return null;
  return feeding ? 'yes' : 'no, it only tracks until it is launched';
}
function whereIs({ worker, merged_commit: commit, queue, blocked_by: blockers }: Row): string {
  if (queue !== null) return queue.position === null ? queue.change : `queue #${queue.position}`;
  return worker ?? commit?.slice(0, 8) ?? blockers.join(' ');
}

type Row = ConvoyJson['tasks'][number];
