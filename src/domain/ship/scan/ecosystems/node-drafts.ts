import { type Draft, service, type Verdict } from '../draft.ts';
import { cite, citeFile } from '../evidence.ts';
import type { Evidence, LaneKind } from '../lane.ts';
import { type Resolved, resolveScript, scriptsOf } from '../scripts.ts';
import { type ManagerFound, type NodePackage, packageManager } from './node-package.ts';
import { type PageRun, pageRun } from './node-pages.ts';
import { entriesOf, isForDevelopers, startScript, startWithoutScript } from './node-start.ts';

interface Named {
  readonly slug: string;
  readonly dependency: string;
}

const WORKER_SCRIPT =
  /^(?:start[:-])?(worker|workers|queue|queues|jobs|consumer|cron|scheduler|bot)(?:[:-](?:start|prod|run))?$/;

/** The lane of a package that renders pages. */
export function pageDraft(pkg: NodePackage, framework: Named): Verdict {
  const found = packageManager(pkg.project);
  const build = buildOf(pkg);
  const run = pageRun(pkg, framework.slug, build?.command ?? null);
  const base = draftOf(pkg, found, framework, 'frontend', build);
  const start = pageStart(pkg, found, run);
  return service(
    {
      ...base,
      ...start,
      build: base.build ?? run.build,
      staticDir: start.start === null ? run.staticDir : null,
      portInCode: /^(node|tsx|bun|ts-node)\b/.test(start.start ?? '') && run.customServer,
      ...(start.start === null ? {} : { defaultPort: run.port }),
      defaultBinding: run.binding,
      evidence: [
        ...base.evidence,
        ...start.evidence,
        ...(run.evidence === null ? [] : [run.evidence]),
      ],
    },
    ...workerDrafts(pkg, found),
  );
}

type Started = Pick<Draft, 'start' | 'startVia' | 'startEnv' | 'hooks' | 'entries' | 'evidence'>;

function pageStart(pkg: NodePackage, found: ManagerFound, run: PageRun): Started {
  const scripts = scriptsOf(pkg.project);
  const written = startScript(pkg.project);
  const preview = previewOf(pkg, resolveScript(pkg.project, scripts, 'preview', 'start'));
  const candidates = [
    written,
    run.staticDir !== null || run.command === null ? preview : undefined,
  ];
  const fit = candidates.find((one) => one !== undefined && !isForDevelopers(one.command));
  if (fit !== undefined) return started(pkg, found, fit);
  const none = { startVia: null, startEnv: {}, hooks: [], entries: [] };
  if (run.command === null) return { start: null, ...none, evidence: [] };
  const evidence = citeFile(
    'start',
    run.command,
    pkg.project.source('package.json').file,
    'framework-default',
  );
  return { start: run.command, ...none, evidence: [evidence] };
}

/** A preview looks in the usual folder; it cannot show a build that its script sends elsewhere. */
function previewOf(pkg: NodePackage, preview: Resolved | undefined): Resolved | undefined {
  const moved = /--(?:outDir|out-dir|dist-dir|output-path)[ =](\S+)/.exec(
    buildOf(pkg)?.command ?? '',
  );
  return moved === null || preview?.command.includes(moved[1] ?? '') === true ? preview : undefined;
}

/** The lanes of a package that answers requests or waits for work. */
export function serverVerdict(
  pkg: NodePackage,
  kind: LaneKind,
  framework: Named | undefined,
): Verdict {
  const found = packageManager(pkg.project);
  const base = draftOf(pkg, found, framework, kind, buildOf(pkg));
  const written = startScript(pkg.project);
  const start = written === undefined ? unwritten(pkg, found) : started(pkg, found, written);
  const main: Draft = { ...base, ...start, evidence: [...base.evidence, ...start.evidence] };
  return service(main, ...(kind === 'worker' ? [] : workerDrafts(pkg, found)));
}

function started(pkg: NodePackage, found: ManagerFound, script: Resolved): Started {
  return {
    start: script.command,
    startVia: `${found.manager} run ${script.script}`,
    startEnv: script.env,
    hooks: script.hooks,
    entries: entriesOf(pkg.project, script.command),
    evidence: [
      script.evidence,
      ...script.hooks.map((hook) => hookEvidence(pkg, hook.script, hook.command)),
    ],
  };
}

function hookEvidence(pkg: NodePackage, script: string, command: string): Evidence {
  return cite(
    'hooks',
    command,
    pkg.project.source('package.json'),
    `"${script}"`,
    'lifecycle-hook',
  );
}

function unwritten(pkg: NodePackage, found: ManagerFound): Started {
  const guess = startWithoutScript(pkg.project, pkg.all, found.manager);
  const none = { startVia: null, startEnv: {}, hooks: [] };
  if (guess === undefined) return { start: null, ...none, entries: [], evidence: [] };
  const evidence = citeFile(
    'start',
    guess.command,
    pkg.project.source(guess.file).file,
    'entry-file',
  );
  return { start: guess.command, ...none, entries: [guess.file], evidence: [evidence] };
}

function buildOf(pkg: NodePackage): Resolved | undefined {
  const scripts = scriptsOf(pkg.project);
  for (const name of ['build', 'build:prod', 'build:production', 'compile']) {
    const found = resolveScript(pkg.project, scripts, name, 'build');
    if (found !== undefined) return found;
  }
  return undefined;
}

function draftOf(
  pkg: NodePackage,
  found: ManagerFound,
  framework: Named | undefined,
  kind: LaneKind,
  build: Resolved | undefined,
): Draft {
  const manifest = pkg.project.source('package.json');
  const needsInstall = pkg.all.size > 0 || found.evidence.rule !== 'default';
  const reason =
    framework === undefined
      ? citeFile('ecosystem', 'node', manifest.file, 'package-json')
      : cite('framework', framework.slug, manifest, `"${framework.dependency}"`, 'dependency');
  return {
    kind,
    ecosystem: 'node',
    framework: framework?.slug ?? null,
    packageManager: found.manager,
    install: needsInstall ? `${found.manager} install` : `${found.manager} install`,
    installPath: found.directory,
    build: build?.command ?? null,
    buildVia: build === undefined ? null : `${found.manager} run ${build.script}`,
    start: null,
    dependencies: [...pkg.runtime],
    manifest: 'package.json',
    hooks: build?.hooks ?? [],
    evidence: [reason, found.evidence, ...(build === undefined ? [] : [build.evidence])],
  };
}

/** Scripts such as `worker` start a second process from the same package. */
function workerDrafts(pkg: NodePackage, found: ManagerFound): readonly Draft[] {
  const scripts = scriptsOf(pkg.project);
  const names = [...scripts.keys()].filter((name) => WORKER_SCRIPT.test(name));
  const roles = new Map(names.map((name) => [WORKER_SCRIPT.exec(name)?.[1] ?? name, name]));
  return [...roles].flatMap(([role, name]) => {
    const script = resolveScript(pkg.project, scripts, name, 'start');
    if (script === undefined || isForDevelopers(script.command)) return [];
    const base = draftOf(pkg, found, workerFramework(pkg), 'worker', buildOf(pkg));
    const start = started(pkg, found, script);
    return [{ ...base, ...start, role, evidence: [...base.evidence, ...start.evidence] }];
  });
}

function workerFramework(pkg: NodePackage): Named | undefined {
  const name = ['bullmq', 'bull', 'agenda', 'graphile-worker', 'pg-boss', 'node-cron'].find((one) =>
    pkg.runtime.has(one),
  );
  return name === undefined ? undefined : { slug: name, dependency: name };
}
