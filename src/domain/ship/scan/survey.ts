import { complete, type Completed } from './complete.ts';
import { composeWorkers, imageLanes, infraDrafts } from './compose-lanes.ts';
import { linked } from './depends-on.ts';
import { discover, leftOut } from './discover.ts';
import type { Draft, Verdict } from './draft.ts';
import { packageManager } from './ecosystems/node-package.ts';
import { judge } from './judge.ts';
import { laneNames } from './lane-names.ts';
import type { Lane, Passed, PlatformConfig, Risk, ScanResult } from './lane.ts';
import { monorepoTools } from './monorepo.ts';
import { configsFor, platformConfigs } from './platform-configs.ts';
import { openProject, type Project } from './project.ts';
import type { Snapshot } from './snapshot.ts';

const MOST_LANES = 80;

interface Judged {
  readonly project: Project;
  readonly verdict: Verdict;
}

interface Found {
  readonly project: Project;
  readonly draft: Draft;
}

/** Everything the files of a repository say about what can be deployed from it. */
export function survey(snapshot: Snapshot): ScanResult {
  const paths = discover(snapshot);
  const isLeftOut = leftOut(snapshot);
  const meant = paths.filter((path) => !isLeftOut(path));
  const judged = meant.flatMap((path): readonly Judged[] => {
    const project = openProject(snapshot, path, paths);
    const verdict = judge(project);
    return verdict === undefined ? [] : [{ project, verdict }];
  });
  const infra = infraDrafts(snapshot);
  const all = [
    ...infra.map((draft) => ({ project: openProject(snapshot, draft.path), draft })),
    ...services(
      snapshot,
      judged,
      infra.map(({ path }) => path),
    ),
  ];
  const found = all.slice(0, MOST_LANES);
  const names = laneNames(snapshot, found);
  const completed = found.map(({ project, draft }, index) =>
    complete(project, draft, names[index] ?? 'app'),
  );
  const lanes = linked(
    snapshot,
    completed.length > 0 ? completed.map(({ lane }) => lane) : imageLanes(snapshot),
  );
  const passed = passedOver(judged);
  const configs = platformConfigs(snapshot);
  const tools = monorepoTools(snapshot);
  return {
    repo: snapshot.name,
    deployable: lanes.length > 0,
    reason: reasonOf(snapshot, lanes, passed),
    lanes,
    passed,
    monorepo: tools.map(({ value }) => value),
    platformConfigs: configs,
    risks: [
      ...risksOf(snapshot, lanes, configs, found),
      ...completed.flatMap(({ risks }: Completed) => risks),
    ],
    evidence: [...tools, ...(lanes.length > 0 ? [] : passed.flatMap(({ evidence }) => evidence))],
  };
}

function services(
  snapshot: Snapshot,
  judged: readonly Judged[],
  infra: readonly string[],
): readonly Found[] {
  return judged.flatMap(({ project, verdict }) => {
    if (verdict.is !== 'service' || infra.includes(project.path)) return [];
    return composeWorkers(snapshot, project.path, verdict.drafts).map((draft) => ({
      project,
      draft,
    }));
  });
}

function passedOver(judged: readonly Judged[]): readonly Passed[] {
  return judged.flatMap(({ project, verdict }): readonly Passed[] =>
    verdict.is === 'other'
      ? [
          {
            path: project.path,
            what: verdict.what,
            reason: verdict.reason,
            evidence: verdict.evidence,
          },
        ]
      : [],
  );
}

function reasonOf(snapshot: Snapshot, lanes: readonly Lane[], passed: readonly Passed[]): string {
  if (lanes.length > 0) {
    const kinds = lanes.map(
      ({ name, kind, framework, ecosystem }) => `${name} (${kind}, ${framework ?? ecosystem})`,
    );
    return `Found ${lanes.length === 1 ? 'one service' : `${lanes.length} services`}: ${kinds.join(', ')}.`;
  }
  const telling = passed.filter(
    ({ what }) => what !== 'nothing' && what !== 'tests' && what !== 'assets',
  );
  const shown = telling.length > 0 ? telling : passed;
  if (shown.length > 0) {
    const [first] = shown;
    const rest = shown.length > 1 ? ` and ${shown.length - 1} more like it` : '';
    return `Not a service: ${first?.path === '.' ? 'this is' : `${first?.path} is`} ${first?.reason}${rest}. Name a start command or a platform to deploy it anyway.`;
  }
  return snapshot.files.length === 0
    ? 'The repository is empty.'
    : 'Nothing in the repository starts a service or builds a site.';
}

function risksOf(
  snapshot: Snapshot,
  lanes: readonly Lane[],
  configs: readonly PlatformConfig[],
  found: readonly Found[],
): readonly Risk[] {
  return [
    ...(snapshot.truncated
      ? [
          note(
            'note',
            'partly-read',
            'The repository is larger than what a scan reads; deep files were left out.',
            [],
          ),
        ]
      : []),
    ...snapshot.broken
      .filter((file) =>
        /(^|\/)(package\.json|pyproject\.toml|Cargo\.toml|compose[\w.]*\.ya?ml|fly\.toml|vercel\.json|railway\.\w+|composer\.json|deno\.json)$/.test(
          file,
        ),
      )
      .map((file) =>
        note('warn', 'unreadable-file', `${file} could not be parsed and was left out.`, [file]),
      ),
    ...conflicts(lanes, configs),
    ...lockfiles(found),
  ];
}

/** Two platforms claim one lane: somebody has to say which. */
function conflicts(lanes: readonly Lane[], configs: readonly PlatformConfig[]): readonly Risk[] {
  const seen = new Set<string>();
  return lanes.flatMap((lane) => {
    const own = configsFor(configs, lane.path);
    const products = [...new Set(own.map(({ product }) => product))];
    const key = own.map(({ file }) => file).join(' ');
    if (products.length < 2 || seen.has(key)) return [];
    seen.add(key);
    return [
      {
        ...note(
          'warn',
          'platform-conflict',
          `Configuration for ${products.join(' and ')} was found; name the platform to be sure.`,
          own.map(({ file }) => file),
        ),
        lane: lane.name,
      },
    ];
  });
}

function lockfiles(found: readonly Found[]): readonly Risk[] {
  const seen = new Set<string>();
  return found.flatMap(({ project, draft }) => {
    if (draft.ecosystem !== 'node' || seen.has(project.path)) return [];
    seen.add(project.path);
    const { manager, rivals } = packageManager(project);
    return rivals.length === 0
      ? []
      : [
          note(
            'warn',
            'two-package-managers',
            `Lockfiles of several package managers were found; ${manager} is used, ${rivals.join(', ')} is ignored.`,
            rivals,
          ),
        ];
  });
}

function note(level: Risk['level'], code: string, message: string, files: readonly string[]): Risk {
  return { level, code, message, lane: null, files };
}
