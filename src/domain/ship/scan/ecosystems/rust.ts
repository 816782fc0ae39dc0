import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, type Source } from '../evidence.ts';
import { at, isObject, keysOf, listOf, stringOf, stringsOf } from '../json.ts';
import type { Project } from '../project.ts';
import { directoryOf, join, relativeTo } from '../snapshot.ts';

const WEB: readonly (readonly [string, string])[] = [
  ['axum', 'axum'],
  ['actix-web', 'actix'],
  ['rocket', 'rocket'],
  ['warp', 'warp'],
  ['poem', 'poem'],
  ['salvo', 'salvo'],
  ['tide', 'tide'],
  ['loco-rs', 'loco'],
  ['tonic', 'tonic'],
  ['hyper', 'hyper'],
];
const QUEUES = [
  'lapin',
  'rdkafka',
  'apalis',
  'tokio-cron-scheduler',
  'async-nats',
  'cron',
  'fang',
  'sqlxmq',
  'clokwerk',
  'serenity',
  'teloxide',
];

/** What a Cargo.toml makes of its directory: one lane for every binary that serves or works. */
export function rustVerdict(project: Project): Verdict | undefined {
  const data = project.data('Cargo.toml');
  if (data === undefined || at(data, 'package') === undefined) return undefined;
  const manifest = project.source('Cargo.toml');
  const gui = ['tauri', 'eframe', 'bevy', 'iced', 'gtk4'].find(
    (name) => at(data, 'dependencies', name) !== undefined,
  );
  if (gui !== undefined)
    return other(
      'desktop-app',
      `a desktop app (${gui})`,
      cite('deployable', 'false', manifest, gui, 'desktop-app'),
    );
  const bins = binaries(project);
  if (bins.length === 0)
    return other(
      'library',
      'a Rust library (no binary target)',
      cite('deployable', 'false', manifest, '[package]', 'no-binary'),
    );
  const drafts = bins.flatMap((bin) => draftOf(project, bin, bins.length) ?? []);
  if (drafts.length > 0) return service(...drafts);
  return other(
    'cli',
    'a command line tool (its binary neither listens nor waits for work)',
    cite('deployable', 'false', manifest, '[package]', 'rust-cli'),
  );
}

interface Binary {
  readonly name: string;
  readonly file: string;
}

function binaries(project: Project): readonly Binary[] {
  const data = project.data('Cargo.toml');
  const crate = stringOf(at(data, 'package', 'name')) ?? 'app';
  const listed = listOf(at(data, 'bin')).map((bin) => {
    const name = stringOf(at(bin, 'name')) ?? crate;
    return { name, file: stringOf(at(bin, 'path')) ?? `src/bin/${name}.rs` };
  });
  const known = new Set(listed.map(({ file }) => file));
  const main =
    project.has('src/main.rs') && !known.has('src/main.rs')
      ? [{ name: crate, file: 'src/main.rs' }]
      : [];
  const found = project.files
    .map((file) => ({ file, name: /^src\/bin\/([\w-]+)(?:\.rs|\/main\.rs)$/.exec(file)?.[1] }))
    .flatMap(({ file, name }) => (name === undefined || known.has(file) ? [] : [{ name, file }]));
  return [...main, ...listed, ...found];
}

function draftOf(project: Project, bin: Binary, count: number): Draft | undefined {
  const manifest = project.source('Cargo.toml');
  const source = project.source(bin.file);
  const dependencies = dependenciesOf(project);
  const web = WEB.find(([name]) => dependencies.includes(name));
  const queue = QUEUES.find((name) => dependencies.includes(name));
  const kind = kindOf(bin, source, web !== undefined, queue !== undefined, count);
  if (kind === undefined) return undefined;
  const run = runOf(project, bin, count);
  const framework =
    kind === 'backend' && web !== undefined
      ? [cite('framework', web[1], manifest, web[0], 'dependency')]
      : [];
  return {
    kind,
    ecosystem: 'rust',
    framework: framework[0]?.value ?? null,
    packageManager: 'cargo',
    install: 'cargo fetch',
    ...run,
    ...(count > 1 ? { role: bin.name } : {}),
    entries: [bin.file],
    defaultPort: web?.[0] === 'rocket' ? 8000 : 8080,
    dependencies,
    manifest: 'Cargo.toml',
    evidence: [
      ...framework,
      cite('ecosystem', 'rust', manifest, '[package]', 'cargo-toml'),
      cite('start', run.start, source, 'fn main', 'cargo-binary'),
    ],
  };
}

// A workspace builds into one target directory at its root, wherever the crate stands.
function runOf(
  project: Project,
  bin: Binary,
  count: number,
): { build: string; start: string; installPath: string } {
  const root = workspaceRoot(project) ?? project.path;
  const crate = stringOf(at(project.data('Cargo.toml'), 'package', 'name')) ?? bin.name;
  const target = relativeTo(project.path, join(root, `target/release/${bin.name}`));
  const selection = [
    ...(root === project.path ? [] : ['-p', crate]),
    ...(count > 1 ? ['--bin', bin.name] : []),
  ];
  return {
    build: ['cargo build --release', ...selection].join(' '),
    start: target.startsWith('..') ? target : `./${target}`,
    installPath: root,
  };
}

function kindOf(
  bin: Binary,
  { text }: Source,
  web: boolean,
  queue: boolean,
  count: number,
): 'backend' | 'worker' | undefined {
  const opens = /TcpListener|HttpServer|axum::|Rocket|rocket::|warp::/.test(text);
  if (!opens && WORK_NAMES.test(bin.name)) return 'worker';
  const isTool = TOOL_NAMES.test(bin.name) || (!opens && /clap::|structopt/.test(text));
  if (isTool) return undefined;
  const serves = /\b(serve|bind|launch|run|Server::builder)\b/.test(text);
  if (/TcpListener::bind/.test(text) || (web && (serves || count === 1))) return 'backend';
  return queue || /\bloop \{/.test(text) ? 'worker' : undefined;
}

const WORK_NAMES = /worker|consumer|cron|scheduler|queue|jobs?$|processor/;
const TOOL_NAMES = /^(migrat\w*|seed\w*|cli|ctl|xtask|tool\w*|gen\w*)$/;

/** Crate names, and `sqlx+postgres` for a feature that chooses a store. */
function dependenciesOf(project: Project): readonly string[] {
  const table = at(project.data('Cargo.toml'), 'dependencies');
  const root = workspaceRoot(project);
  const shared = at(
    root === undefined ? undefined : project.snapshot.data(join(root, 'Cargo.toml')),
    'workspace',
    'dependencies',
  );
  return keysOf(table).flatMap((name) => {
    const own = at(table, name);
    const inherited = isObject(own) && at(own, 'workspace') === true ? at(shared, name) : undefined;
    const features = [...stringsOf(at(own, 'features')), ...stringsOf(at(inherited, 'features'))];
    return [name, ...features.map((feature) => `${name}+${feature}`)];
  });
}

function workspaceRoot(project: Project): string | undefined {
  for (let path = project.path; ; path = directoryOf(path)) {
    if (at(project.snapshot.data(join(path, 'Cargo.toml')), 'workspace') !== undefined) return path;
    if (path === '.') return undefined;
  }
}
