import type { EventJson } from '../../contract/routes/system.ts';
import type { DiagnosisJson, RunJson } from '../../contract/schemas/ship.ts';
import { clean, cleanLine } from './clean.ts';
import { facts } from './facts.ts';
import { paletteFor, type Palette } from './paint.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { duration, relative } from './time.ts';
import { padEnd, truncate, widthOf, wrapWide } from './width.ts';

type Look = Pick<View, 'color' | 'columns'>;

/** A box that stands out in a long transcript. */
export function banner(run: RunJson, view: Look): string[] {
  const { bold } = paletteFor(view.color);
  const lines = [
    `Convoy ships ${cleanLine(run.plan_id)} as ${cleanLine(run.id)}${run.demo ? ' (demo)' : ''}`,
    ...(run.dashboard === null ? [] : [cleanLine(run.dashboard)]),
  ].map((line) => truncate(line, view.columns - 4));
  const width = lines.reduce((most, line) => Math.max(most, widthOf(line)), 0);
  return [
    `╭${'─'.repeat(width + 2)}╮`,
    ...lines.map((line) => `│ ${bold(padEnd(line, width))} │`),
    `╰${'─'.repeat(width + 2)}╯`,
  ];
}

export const linePrefix = (color: boolean): string => paletteFor(color).grey('convoy │ ');
const PREFIX_WIDTH = 9;

/** What an event of a run says while it happens. */
export function eventLines({ kind, data }: Pick<EventJson, 'kind' | 'data'>, view: Look): string[] {
  const palette = paletteFor(view.color);
  const say = (text: string): string => truncate(cleanLine(text), view.columns - PREFIX_WIDTH);
  const where = place(data);
  switch (kind) {
    case 'stage-started':
      return [palette.blue(say(`● ${where}`))];
    case 'stage-kept':
      return [palette.green(say(`✓ ${where} was done before and still holds`))];
    case 'stage-ended':
      return [stageEnd(data, where, say, palette)];
    case 'run-noted':
      return [palette.grey(say(`  ${word(data, 'text')}`))];
    case 'approval-awaited':
      return [
        ...wrapWide(cleanLine(`◆ ${word(data, 'summary')}`), view.columns - PREFIX_WIDTH - 2).map(
          (line, at) => palette.amber(at === 0 ? line : `  ${line}`),
        ),
        palette.amber(say(askedWords(waitingFor(data)))),
      ];
    case 'medic-stepped':
      return medicLines(data, say, palette);
    case 'approval-answered':
      return [palette.green(say(`✓ ${waitingFor(data)} approved`))];
    default:
      return [];
  }
}

const askedWords = (id: string): string =>
  `  convoy approve ${id}, or reject; convoy show ${id} tells all`;

/** What a model does to find out why; its answers' insides are for the dashboard. */
function medicLines(data: Data, say: (text: string) => string, palette: Palette): string[] {
  const text = word(data, 'text');
  switch (word(data, 'step')) {
    case 'called':
      return [palette.grey(say(`  medic: ${word(data, 'tool')} ${text}`))];
    case 'refused':
      return [palette.grey(say(`  medic: ${word(data, 'tool')} refused: ${text}`))];
    case 'said':
    case 'retried':
      return [palette.grey(say(`  medic: ${text}`))];
    default:
      return [];
  }
}

/** A note of one lane outside a run. */
export const noteLine = (lane: string, stage: string, text: string, view: Look): string =>
  paletteFor(view.color).grey(
    truncate(cleanLine(`${stage} ${lane}: ${text}`), view.columns - PREFIX_WIDTH),
  );

type Data = EventJson['data'];

const word = (data: Data, name: string): string => {
  const value = data[name];
  return typeof value === 'string' ? value : '';
};

const place = (data: Data): string =>
  [word(data, 'stage'), word(data, 'lane')].filter(Boolean).join(' ');

function waitingFor({ waiting }: Data): string {
  if (typeof waiting !== 'object' || waiting === null || !('approval' in waiting)) return '';
  return String(waiting.approval);
}

function stageEnd(
  data: Data,
  where: string,
  say: (text: string) => string,
  palette: Palette,
): string {
  const how = word(data, 'status');
  if (how === 'succeeded') return palette.green(say(`✓ ${where}`));
  const evidence =
    typeof data['evidence'] === 'object' && data['evidence'] !== null ? data['evidence'] : {};
  const reason =
    'reason' in evidence && typeof evidence.reason === 'string' ? `: ${evidence.reason}` : '';
  if (how === 'skipped') return palette.grey(say(`– ${where} skipped${reason}`));
  return palette.red(say(`✗ ${where} ${how}${reason}`));
}

/** Where a run rests, and what to do next. */
export function restPage(run: RunJson, view: View): string[] {
  const next = nextStep(run);
  return [
    '',
    ...headline(run, view),
    ...(run.status === 'awaiting_fix' && run.diagnosis !== null
      ? ['', ...card(run.diagnosis, view)]
      : []),
    ...(next === null ? [] : ['', ...wrapWide(next, view.columns)]),
  ];
}

function headline(run: RunJson, view: View): string[] {
  const palette = paletteFor(view.color);
  const { text, paint } = status('run', run.status, palette);
  const demo = run.demo ? ' (demo)' : '';
  const reason = run.reason === null ? [] : wrapWide(clean(run.reason), view.columns);
  return [`${palette.bold(cleanLine(run.id))}  ${paint(text)}${demo}`, ...reason];
}

function nextStep(run: RunJson): string | null {
  const pending = run.approvals.find(({ status: now }) => now === 'pending');
  const resume = `convoy resume ${run.id}`;
  switch (run.status) {
    case 'awaiting_approval':
      return `Next: convoy approve ${pending?.id ?? ''}, then ${resume}`;
    case 'awaiting_fix':
      return `Next: mend it, then ${resume}`;
    case 'paused':
    case 'interrupted':
    case 'failed':
      return `Next: ${resume}`;
    case 'succeeded':
      return outcomeOf(run);
    default:
      return null;
  }
}

function outcomeOf(run: RunJson): string | null {
  const authored = run.stages.find(
    ({ stage, status: how }) => stage === 'author' && how === 'succeeded',
  );
  const branch = authored?.evidence['branch'];
  return typeof branch === 'string'
    ? `The files are on the branch ${cleanLine(branch)}; git merge ${cleanLine(branch)} takes them over.`
    : null;
}

/** The medic's card. */
export function card(diagnosis: DiagnosisJson, view: Pick<View, 'color' | 'columns'>): string[] {
  const palette = paletteFor(view.color);
  const seen = diagnosis.evidence.map(({ file, line, text }) =>
    file === undefined ? text : `${file}${line === undefined ? '' : `:${line}`}: ${text}`,
  );
  return facts(
    [
      ['lane', diagnosis.lane],
      ['cause', { text: diagnosis.root_cause, paint: palette.bold }],
      [
        'kind',
        `${diagnosis.classification}, for the ${diagnosis.owned}, confidence ${diagnosis.confidence}`,
      ],
      ['fix', diagnosis.fix],
      ['again', diagnosis.reproduction === '' ? null : diagnosis.reproduction],
      ['seen', seen.length === 0 ? null : seen.join('\n')],
      ['by', saidBy(diagnosis)],
    ],
    view.columns,
    palette.grey,
  );
}

/** Worth a line only where a model was to say it. */
function saidBy({ by, because }: DiagnosisJson): string | null {
  if (by === 'model') return 'a model, checked against the files and the log';
  return because === undefined ? null : `the rules, because ${because}`;
}

export function runPage(run: RunJson, view: View): string[] {
  const palette = paletteFor(view.color);
  const rows = run.stages.map(({ lane, stage, status: how, started_at, ended_at, evidence }) => [
    stage,
    lane ?? '',
    stageCell(how, palette),
    ended_at === null ? '' : duration(Date.parse(ended_at) - Date.parse(started_at)),
    typeof evidence['why'] === 'string' ? evidence['why'] : '',
  ]);
  const columns = [
    { title: 'STAGE', min: 8 },
    { title: 'LANE', max: 20 },
    { title: 'STATUS', min: 11 },
    { title: 'TOOK' },
    { title: 'SAID', min: 10 },
  ];
  const approvals = run.approvals.map(({ id, kind, status: how, summary }) =>
    truncate(cleanLine(`  ${id}  ${kind}  ${how}  ${summary}`), view.columns),
  );
  const next = nextStep(run);
  return [
    ...headline(run, view),
    palette.grey(
      `plan ${cleanLine(run.plan_id)}, begun ${relative(Date.parse(run.created_at), view.now())}`,
    ),
    ...(rows.length === 0 ? [] : ['', ...table(columns, rows, view.columns, palette.grey)]),
    ...(approvals.length === 0 ? [] : ['', 'Approvals', ...approvals]),
    ...(run.diagnosis === null
      ? []
      : [
          '',
          run.status === 'succeeded' ? 'Diagnosis, mended since' : 'Diagnosis',
          ...card(run.diagnosis, view),
        ]),
    ...(next === null ? [] : ['', ...wrapWide(next, view.columns)]),
  ];
}

function stageCell(
  how: string,
  palette: Palette,
): { text: string; paint: (text: string) => string } {
  const marks: Readonly<Record<string, { mark: string; paint: (text: string) => string }>> = {
    running: { mark: '●', paint: palette.blue },
    succeeded: { mark: '✓', paint: palette.green },
    failed: { mark: '✗', paint: palette.red },
    interrupted: { mark: '◆', paint: palette.amber },
    blocked: { mark: '○', paint: palette.grey },
  };
  const { mark, paint } = marks[how] ?? { mark: '–', paint: palette.grey };
  return { text: `${mark} ${how}`, paint };
}

export function runTable(runs: readonly RunJson[], view: View): string[] {
  if (runs.length === 0) return ['No runs yet: convoy apply <plan> starts one.'];
  const palette = paletteFor(view.color);
  const rows = runs.map((run) => [
    run.id,
    status('run', run.status, palette),
    run.plan_id,
    relative(Date.parse(run.created_at), view.now()),
    `${run.demo ? '(demo) ' : ''}${run.reason ?? ''}`,
  ]);
  const columns = [
    { title: 'ID', min: 9 },
    { title: 'STATUS', min: 13 },
    { title: 'PLAN', min: 10 },
    { title: 'BEGUN' },
    { title: 'REASON', min: 6 },
  ];
  return table(columns, rows, view.columns, palette.grey);
}

type Rehearsed = {
  readonly lane: string;
  readonly status: string;
  readonly reason: string | null;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly diagnosis: DiagnosisJson | null;
};

/** What a rehearsal of its own has shown. */
export function rehearsalPage(lanes: readonly Rehearsed[], view: View): string[] {
  const palette = paletteFor(view.color);
  return lanes.flatMap(({ lane, status: how, reason, evidence, diagnosis }) => {
    const { text, paint } = stageCell(how, palette);
    return [
      '',
      `${palette.bold(cleanLine(lane))}  ${paint(text)}`,
      ...facts(
        [
          ['verdict', saidOf(evidence['verdict'], evidence['why'])],
          [
            'ready',
            evidence['ready_ms'] == null ? null : `${Math.round(Number(evidence['ready_ms']))} ms`,
          ],
          ['health', typeof evidence['health_path'] === 'string' ? evidence['health_path'] : null],
          ['load', loadWords(evidence['load'])],
          ['isolation', typeof evidence['isolation'] === 'string' ? evidence['isolation'] : null],
          ['reason', diagnosis === null ? reason : null],
        ],
        view.columns,
        palette.grey,
      ),
      ...(diagnosis === null ? [] : ['', ...card(diagnosis, view)]),
    ];
  });
}

const saidOf = (...words: unknown[]): string | null =>
  words.filter((each) => typeof each === 'string' && each !== '').join(': ') || null;

function loadWords(load: unknown): string | null {
  if (typeof load !== 'object' || load === null) return null;
  const number = (name: string): number => Number(Reflect.get(load, name) ?? 0);
  const errors = (number('errorRate') * 100).toFixed(1);
  return `${number('samples')} requests, ${errors} % errors, p50 ${number('p50')} ms, p95 ${number('p95')} ms, p99 ${number('p99')} ms`;
}
