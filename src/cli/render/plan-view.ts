import type { OutputOf } from '../../contract/route.ts';
import type { listPlans } from '../../contract/routes/ship.ts';
import type { PlanJson } from '../../contract/schemas/ship.ts';
import { clean, cleanLine } from './clean.ts';
import { facts } from './facts.ts';
import { paletteFor, type Palette } from './paint.ts';
import { table } from './table.ts';
import type { View } from './task-view.ts';
import { relative } from './time.ts';
import { wrapWide } from './width.ts';

/** A plan as a page: what was found, what would be done, what will be asked. */
export function planPage(
  plan: PlanJson,
  view: View,
  { next, files }: { readonly next: 'save' | 'apply' | null; readonly files: boolean },
): string[] {
  const palette = paletteFor(view.color);
  const wrapped = (text: string): string[] => wrapWide(clean(text), view.columns);
  return [
    ...wrapped(plan.summary).map(palette.bold),
    '',
    ...wrapped(plan.narrative),
    ...plan.lanes.flatMap((lane) => ['', ...laneBlock(lane, view, palette)]),
    ...block('Steps', stepLines(plan, view)),
    ...block('Files', fileLines(plan, view, files, palette)),
    ...block(
      'Asks',
      plan.approvals.flatMap(({ kind, summary }) => indented(`◆ ${kind}: ${summary}`, view)),
    ),
    ...block('Risks', riskLines(plan, view, palette)),
    '',
    ...closing(plan, next, view, palette),
  ];
}

const block = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines];

function indented(text: string, view: View, depth = 2): string[] {
  const room = view.columns - depth - 2;
  return wrapWide(clean(text), room).map(
    (line, at) => ' '.repeat(at === 0 ? depth : depth + 2) + line,
  );
}

type Lane = PlanJson['lanes'][number];

function laneBlock(lane: Lane, view: View, palette: Palette): string[] {
  const { bold, grey } = palette;
  const made = [lane.framework, lane.ecosystem].filter((word) => word !== null).join(', ');
  const scores = Object.entries(lane.platform.scores)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, score]) => `${name} ${score}`);
  const seen = lane.evidence
    .slice(0, MOST_EVIDENCE)
    .map(({ field, file, line, rule }) => `${field} from ${file}:${line} (${rule})`);
  const rows = facts(
    [
      ['path', lane.path],
      ['made with', made],
      ['install', lane.install],
      ['build', lane.build],
      ['start', lane.start],
      ['port', lane.port === null ? null : String(lane.port)],
      ['health', lane.health_path],
      ['needs', lane.datastores.length === 0 ? null : lane.datastores.join(', ')],
      ['secrets', lane.secrets.length === 0 ? null : lane.secrets.join(', ')],
      ['after', lane.depends_on.length === 0 ? null : lane.depends_on.join(', ')],
      ['platform', `${lane.platform.chosen}: ${lane.platform.reason}`],
      ['scores', scores.join(', ')],
      ['seen', seen.join('\n')],
    ],
    view.columns - 2,
    grey,
  );
  return [bold(`${cleanLine(lane.name)} (${lane.kind})`), ...rows.map((row) => `  ${row}`)];
}

const MOST_EVIDENCE = 6;

function stepLines(plan: PlanJson, view: View): string[] {
  return plan.steps.flatMap(({ stage, does, commands, rollback }, at) => [
    ...indented(`${at + 1}. ${stage}: ${named(does, plan)}`, view),
    ...commands.flatMap((command) => indented(`$ ${command}`, view, 5)),
    ...(stage === 'scan' || stage === 'pick'
      ? []
      : indented(`back: ${named(rollback, plan)}`, view, 5)),
  ]);
}

/** A plan is named by its hash, so it cannot name itself in what is hashed. */
const named = (text: string, { id }: PlanJson): string => text.replaceAll('<plan id>', id);

function fileLines(plan: PlanJson, view: View, whole: boolean, palette: Palette): string[] {
  return plan.files.flatMap(({ path, action, reason, content }) => [
    ...indented(`${action} ${path} (${reason})`, view),
    ...(whole
      ? clean(content)
          .split('\n')
          .map((line) => `    ${palette.grey(line)}`.trimEnd())
      : []),
  ]);
}

function riskLines(plan: PlanJson, view: View, palette: Palette): string[] {
  const paint = { block: palette.red, warn: palette.amber, note: palette.grey };
  return plan.risks.flatMap(({ level, message }) =>
    indented(`${level}: ${message}`, view).map(paint[level]),
  );
}

function closing(
  plan: PlanJson,
  next: 'save' | 'apply' | null,
  view: View,
  { grey }: Palette,
): string[] {
  const id = cleanLine(plan.id);
  const made = grey(
    `${id}  ${plan.hash.slice(0, 12)}  ${cleanLine(plan.repo.sha?.slice(0, 12) ?? 'no commit')}`,
  );
  if (!plan.deployable || next === null) return [made];
  const blocked = plan.risks.some(({ level }) => level === 'block');
  const words =
    next === 'save'
      ? `Nothing was kept. convoy plan ${cleanLine(plan.repo.source)} --save keeps it.`
      : blocked
        ? 'A risk blocks this plan: mend it, and plan again.'
        : `Next: convoy apply ${id}`;
  return [made, ...wrapWide(words, view.columns)];
}

type PlanRow = OutputOf<typeof listPlans>['plans'][number];

export function planTable(plans: readonly PlanRow[], view: View): string[] {
  if (plans.length === 0) return ['No plans yet: convoy plan <path> --save makes one.'];
  const { grey, red } = paletteFor(view.color);
  const rows = plans.map(({ id, state, created_at, repo, summary }) => [
    id,
    relative(Date.parse(created_at), view.now()),
    repo,
    state === 'edited' ? { text: summary, paint: red } : summary,
  ]);
  const columns = [
    { title: 'ID', min: 10 },
    { title: 'MADE' },
    { title: 'REPO', max: 20 },
    { title: 'SUMMARY', min: 10 },
  ];
  return table(columns, rows, view.columns, grey);
}
