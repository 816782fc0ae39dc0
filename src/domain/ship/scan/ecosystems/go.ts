import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, type Source } from '../evidence.ts';
import type { Evidence } from '../lane.ts';
import type { Project } from '../project.ts';
import { baseOf, directoryOf } from '../snapshot.ts';

const FRAMEWORKS: readonly (readonly [string, RegExp])[] = [
  ['gin', /github\.com\/gin-gonic\/gin\b/],
  ['echo', /github\.com\/labstack\/echo\b/],
  ['fiber', /github\.com\/gofiber\/fiber\b/],
  ['chi', /github\.com\/go-chi\/chi\b/],
  ['gorilla', /github\.com\/gorilla\/mux\b/],
  ['beego', /github\.com\/beego\/beego\b/],
  ['iris', /github\.com\/kataras\/iris\b/],
  ['buffalo', /github\.com\/gobuffalo\/buffalo\b/],
  ['hertz', /github\.com\/cloudwego\/hertz\b/],
  ['grpc', /google\.golang\.org\/grpc\b/],
];

const LISTENS =
  /\bListenAndServe(TLS)?\(|\.Run\(\s*(":|addr|\)|fmt|os\.|port|cfg|config|":"|"[\w.]*:)|\.Listen\(|\.Start\(\s*(":|addr|port|fmt|cfg|":"|net\.)|\.Serve\(|grpc\.NewServer\(|&?http\.Server\{/;
const QUEUES =
  /asynq\.NewServer|\.Consume\(|kafka\.NewReader|sarama\.NewConsumer|cron\.New|gocron\.|NewWorker\(|worker\.New\(|\.Subscribe\(|ReceiveMessage|time\.NewTicker|time\.Tick\(|\bfor \{/;

/** What a go.mod makes of its directory: one lane for every program that serves or works. */
export function goVerdict(project: Project): Verdict | undefined {
  if (!project.has('go.mod')) return undefined;
  const sources = project.sources(['.go']);
  const mains = sources.filter(
    ({ text }) => /^package main\b/m.test(text) && /\bfunc main\(\)/.test(text),
  );
  const manifest = project.source('go.mod');
  if (mains.length === 0)
    return other(
      'library',
      'a Go module without a main package',
      cite('deployable', 'false', manifest, 'module', 'no-main-package'),
    );
  const drafts = mains.flatMap((main) => draftOf(project, main, sources, mains.length) ?? []);
  if (drafts.length > 0) return service(...withRoles(drafts));
  const main = mains[0] ?? manifest;
  return other(
    'cli',
    'a command line tool (its main package neither listens nor waits for work)',
    cite('deployable', 'false', main, 'func main()', 'go-cli'),
  );
}

function draftOf(
  project: Project,
  main: Source,
  sources: readonly Source[],
  mains: number,
): Draft | undefined {
  const kind = kindOf(project, main, sources, mains);
  if (kind === undefined) return undefined;
  const directory = directoryOf(ownPath(project, main.file));
  const name = directory === '.' ? moduleName(project) : baseOf(directory);
  const manifest = project.source('go.mod');
  const framework = kind === 'backend' ? frameworkOf(manifest) : undefined;
  const target = directory === '.' ? '.' : `./${directory}`;
  const output = directory === '.' ? 'app' : `bin/${name}`;
  return {
    kind,
    ecosystem: 'go',
    framework: framework?.value ?? null,
    packageManager: 'go',
    install: /^[ \t]*require\b/m.test(manifest.text) ? 'go mod download' : null,
    build: `go build -o ${output} ${target}`,
    start: `./${output}`,
    role: name,
    entries: sources
      .map(({ file }) => ownPath(project, file))
      .filter((file) => directoryOf(file) === directory),
    ...(kind === 'backend' ? { defaultPort: 8080 } : {}),
    dependencies: modules(manifest.text),
    manifest: 'go.mod',
    evidence: [
      ...(framework === undefined ? [] : [framework]),
      cite('ecosystem', 'go', manifest, 'module', 'go-mod'),
      cite('start', `./${output}`, main, 'func main()', 'main-package'),
    ],
  };
}

function kindOf(
  project: Project,
  main: Source,
  sources: readonly Source[],
  mains: number,
): 'backend' | 'worker' | undefined {
  const directory = directoryOf(main.file);
  const name = baseOf(directory);
  const own = sources
    .filter(({ file }) => directoryOf(file) === directory)
    .map(({ text }) => text)
    .join('\n');
  if (/^(migrat\w*|seed\w*|cli|ctl|tool\w*|gen\w*|.*ctl)$/.test(name)) return undefined;
  if (LISTENS.test(own)) return 'backend';
  if (/worker|consumer|cron|scheduler|queue|jobs?$|processor|daemon/.test(name)) return 'worker';
  if (QUEUES.test(own)) return 'worker';
  // The program may leave listening to a package of its own module.
  const reached = importedText(project, own, sources);
  if (/spf13\/cobra|urfave\/cli|alecthomas\/kong/.test(own) && !/serve/i.test(own + reached))
    return undefined;
  if (LISTENS.test(reached)) return 'backend';
  if (QUEUES.test(reached)) return 'worker';
  const everything = sources.map(({ text }) => text).join('\n');
  const likely = mains === 1 || /^(server|api|web|app|http|gateway)$/.test(name);
  return likely && LISTENS.test(everything) ? 'backend' : undefined;
}

function importedText(project: Project, own: string, sources: readonly Source[]): string {
  const module = /^module\s+(\S+)/m.exec(project.text('go.mod') ?? '')?.[1] ?? '';
  const imports = [...own.matchAll(/"([^"\n]+)"/g)]
    .map((match) => match[1] ?? '')
    .filter((path) => path.startsWith(`${module}/`));
  const directories = new Set(imports.map((path) => path.slice(module.length + 1)));
  return sources
    .filter(({ file }) => directories.has(directoryOf(ownPath(project, file))))
    .map(({ text }) => text)
    .join('\n');
}

function frameworkOf(manifest: Source): Evidence | undefined {
  for (const [slug, pattern] of FRAMEWORKS) {
    const direct = new RegExp(String.raw`^(?!.*// indirect).*${pattern.source}`, 'm');
    if (direct.test(manifest.text)) return cite('framework', slug, manifest, pattern, 'dependency');
  }
  return undefined;
}

function modules(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !line.includes('// indirect'))
    .flatMap(
      (line) =>
        /^[ \t]*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+|modernc\.org\/\S+|gorm\.io\/\S+)\s+v/.exec(
          line,
        )?.[1] ?? [],
    );
}

const moduleName = (project: Project): string =>
  baseOf(
    (/^module\s+(\S+)/m.exec(project.text('go.mod') ?? '')?.[1] ?? 'app').replace(/\/v\d+$/, ''),
  );

const ownPath = (project: Project, file: string): string =>
  project.path === '.' ? file : file.slice(project.path.length + 1);

// A single program carries the name of its directory; several need their own.
function withRoles(drafts: readonly Draft[]): readonly Draft[] {
  if (drafts.length > 1) return drafts;
  return drafts.map(({ role: _role, ...draft }) => draft);
}
