import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeFile, type Source } from '../evidence.ts';
import { at, keysOf, stringOf } from '../json.ts';
import type { Evidence } from '../lane.ts';
import { firstOf, type Project } from '../project.ts';
import { baseOf, directoryOf, join, relativeTo } from '../snapshot.ts';

const FRAMEWORKS: readonly (readonly [string, RegExp])[] = [
  [
    'spring-boot',
    /org\.springframework\.boot|spring-boot|libs\.plugins\.spring\.?boot|springBoot/i,
  ],
  ['quarkus', /io\.quarkus/],
  ['micronaut', /io\.micronaut/],
  ['ktor', /io\.ktor|libs\.ktor|libs\.plugins\.ktor/],
  ['vertx', /io\.vertx/],
  ['dropwizard', /io\.dropwizard/],
  ['javalin', /io\.javalin/],
  ['helidon', /io\.helidon/],
  ['http4s', /http4s/],
  ['play', /com\.typesafe\.play|org\.playframework/],
];
// These serve requests; a Spring application without any of them only works through jobs.
const SPRING_WEB =
  /starter-web|starter-webflux|starter-jersey|starter-graphql|starter-rsocket|starter-data-rest|starter-actuator|starter\.web|starterWeb|spring-boot-starter-hateoas|vaadin/;
const SPRING_WORK =
  /starter-batch|starter-amqp|spring-kafka|starter-quartz|starter-integration|starter-artemis/;

/** What a Maven or Gradle build makes of its directory. */
export function jvmVerdict(project: Project): Verdict | undefined {
  const file = firstOf(project, ['pom.xml', 'build.gradle.kts', 'build.gradle', 'build.sbt']);
  if (file === undefined) return undefined;
  const source = project.source(file);
  const text = source.text + catalogue(project, source.text);
  const android = /com\.android\.(application|library)|libs\.plugins\.android/.exec(source.text);
  if (android !== null)
    return other(
      'mobile-app',
      'an Android app',
      cite('deployable', 'false', source, android[0], 'android-plugin'),
    );
  if (isAggregate(source, project))
    return other(
      'nothing',
      'the root of a multi-module build',
      cite('deployable', 'false', source, /<modules>|plugins|subprojects/, 'build-root'),
    );
  return (
    frameworkVerdict(project, file, text) ??
    plainProgram(project, file, text) ??
    leftOver(project, source)
  );
}

function frameworkVerdict(project: Project, file: string, text: string): Verdict | undefined {
  const found = FRAMEWORKS.find(([, pattern]) => pattern.test(text));
  if (found === undefined) return undefined;
  const [slug, pattern] = found;
  if (!hasMain(project) && slug !== 'quarkus' && slug !== 'play') return undefined;
  const evidence = cite('framework', slug, project.source(file), pattern, 'dependency');
  return service(draftOf(project, file, text, evidence));
}

/** A program without a framework that opens a socket itself, or never ends. */
function plainProgram(project: Project, file: string, text: string): Verdict | undefined {
  if (!hasMain(project)) return undefined;
  const sources = project.sources(['.java', '.kt', '.scala']);
  const server = sources.find((one) =>
    /HttpServer\.create\(|ServerSocket\(|new Server\(\d|Undertow|embeddedServer\(/.test(one.text),
  );
  if (server !== undefined) return service(draftOf(project, file, text, undefined, server));
  const endless = sources.find((one) =>
    /while\s*\(\s*true\s*\)|KafkaConsumer|basicConsume/.test(one.text),
  );
  if (endless === undefined) return undefined;
  return service({ ...draftOf(project, file, text, undefined, endless), kind: 'worker' });
}

function leftOver(project: Project, source: Source): Verdict {
  return hasMain(project)
    ? other(
        'cli',
        'a command line tool (its main class neither listens nor uses a web framework)',
        cite('deployable', 'false', source, /application|<project/, 'jvm-main'),
      )
    : other(
        'library',
        'a JVM library (no main class)',
        cite('deployable', 'false', source, /java-library|<artifactId>|plugins/, 'no-main-class'),
      );
}

// A parent build has modules and no program of its own.
function isAggregate(source: Source, project: Project): boolean {
  const parent =
    /<packaging>\s*pom\s*<|<modules>/.test(source.text) ||
    (project.files.some((file) => /^settings\.gradle(\.kts)?$/.test(file)) &&
      /include\s*\(?['"]/.test(
        project.text('settings.gradle.kts') ?? project.text('settings.gradle') ?? '',
      ));
  return parent && !project.files.some((file) => file.startsWith('src/main/'));
}

/** Aliases such as `libs.plugins.spring.boot` mean what gradle/libs.versions.toml says. */
function catalogue(project: Project, text: string): string {
  if (!/\blibs\./.test(text)) return '';
  for (let path = project.path; ; path = directoryOf(path)) {
    const found = project.snapshot.text(join(path, 'gradle/libs.versions.toml'));
    if (found !== undefined)
      return used(project.snapshot.data(join(path, 'gradle/libs.versions.toml')), text);
    if (path === '.') return '';
  }
}

const alias = (name: string): string => name.replaceAll(/[-_]/g, '.');

function used(data: Parameters<typeof at>[0], text: string): string {
  const rows = (table: string, prefix: string): readonly string[] =>
    keysOf(at(data, table))
      .filter((name) => text.includes(`${prefix}${alias(name)}`))
      .map((name) => {
        const row = at(data, table, name);
        return [
          stringOf(row),
          stringOf(at(row, 'module')),
          stringOf(at(row, 'id')),
          stringOf(at(row, 'name')),
        ]
          .filter((one) => one !== undefined)
          .join(' ');
      });
  return `\n${[...rows('libraries', 'libs.'), ...rows('plugins', 'libs.plugins.')].join('\n')}`;
}

const hasMain = (project: Project): boolean =>
  project
    .sources(['.java', '.kt', '.scala'])
    .some(({ text }) =>
      /public static void main\(|\bfun main\(|@SpringBootApplication|extends App\b|@main\b/.test(
        text,
      ),
    );

function draftOf(
  project: Project,
  file: string,
  text: string,
  framework: Evidence | undefined,
  program?: Source,
): Draft {
  const source = project.source(file);
  const tool = TOOLS[file] ?? 'gradle';
  const run = runOf(project, source, tool, framework?.value);
  return {
    kind: isWorker(project, text, framework?.value) ? 'worker' : 'backend',
    ecosystem: 'jvm',
    framework: framework?.value ?? null,
    packageManager: tool,
    install: null,
    ...run,
    defaultPort: 8080,
    portInCode: framework === undefined || ['ktor', 'javalin', 'vertx'].includes(framework.value),
    ...habits(text, framework?.value),
    dependencies: artifacts(text),
    manifest: file,
    evidence: [
      ...(framework === undefined ? [] : [framework]),
      citeFile('package_manager', tool, source.file, `${tool}-build`),
      program === undefined
        ? cite('start', run.start, source, /<artifactId>|plugins|name/, 'packaged-jar')
        : cite('start', run.start, program, /main/, 'main-class'),
    ],
  };
}

const TOOLS: Readonly<Record<string, string>> = { 'pom.xml': 'maven', 'build.sbt': 'sbt' };

/** Where a framework's own settings say how the port is told and where health is asked. */
function habits(
  text: string,
  framework: string | undefined,
): Pick<Draft, 'defaultBinding' | 'defaultHealth'> {
  if (framework === 'quarkus') return { defaultBinding: { by: 'env', name: 'QUARKUS_HTTP_PORT' } };
  if (framework !== 'spring-boot') return {};
  const actuator = text.includes('actuator') ? { defaultHealth: '/actuator/health' } : {};
  return { defaultBinding: { by: 'env', name: 'SERVER_PORT' }, ...actuator };
}

const isWorker = (project: Project, text: string, framework: string | undefined): boolean =>
  framework === 'spring-boot' &&
  !SPRING_WEB.test(text) &&
  (SPRING_WORK.test(text) || scheduled(project));

const scheduled = (project: Project): boolean =>
  project
    .sources(['.java', '.kt'])
    .some(({ text }) => /@Scheduled|@KafkaListener|@RabbitListener|@JmsListener/.test(text));

interface Run {
  readonly build: string;
  readonly start: string;
}

function runOf(project: Project, source: Source, tool: string, framework: string | undefined): Run {
  if (tool === 'maven') return mavenRun(project, source, framework);
  if (tool === 'sbt')
    return { build: 'sbt stage', start: `target/universal/stage/bin/${gradleName(project)}` };
  return gradleRun(project, source, framework);
}

function mavenRun(project: Project, source: Source, framework: string | undefined): Run {
  const own = source.text
    .replace(/<parent>[\s\S]*?<\/parent>/, '')
    .replaceAll(/<(dependencies|build|profiles|dependencyManagement)>[\s\S]*?<\/\1>/g, '');
  const value = (name: string, text = own): string | undefined =>
    new RegExp(String.raw`<${name}>\s*([^<\s]+)\s*</${name}>`).exec(text)?.[1];
  const version =
    value('version') ??
    value('version', /<parent>[\s\S]*?<\/parent>/.exec(source.text)?.[0] ?? '') ??
    '0.0.1-SNAPSHOT';
  const name = value('finalName', source.text) ?? `${value('artifactId') ?? 'app'}-${version}`;
  const wrapper = above(project, 'mvnw');
  const build = `${wrapper ?? 'mvn'} package -DskipTests`;
  const jar =
    framework === 'quarkus'
      ? 'target/quarkus-app/quarkus-run.jar'
      : `target/${name.replace('${project.artifactId}', value('artifactId') ?? 'app').replace('${project.version}', version)}.jar`;
  return { build, start: `java -jar ${jar}` };
}

function gradleRun(project: Project, source: Source, framework: string | undefined): Run {
  const name = gradleName(project);
  const wrapper = above(project, 'gradlew') ?? 'gradle';
  const installed = { build: `${wrapper} installDist`, start: `build/install/${name}/bin/${name}` };
  if (framework === 'quarkus')
    return {
      build: `${wrapper} build -x test`,
      start: 'java -jar build/quarkus-app/quarkus-run.jar',
    };
  if (framework === 'ktor') return installed;
  const jar = `java -jar build/libs/${jarName(project, source, name)}`;
  if (framework === 'spring-boot') return { build: `${wrapper} bootJar`, start: jar };
  return /\bapplication\b/.test(source.text)
    ? installed
    : { build: `${wrapper} build -x test`, start: jar };
}

function gradleName(project: Project): string {
  const settings = project.text('settings.gradle.kts') ?? project.text('settings.gradle') ?? '';
  const named = /rootProject\.name\s*=\s*['"]([^'"]+)['"]/.exec(settings)?.[1];
  return named ?? (project.path === '.' ? project.snapshot.name : baseOf(project.path));
}

function jarName(project: Project, source: Source, name: string): string {
  const written = /archiveFileName(?:\.set\(|\s*=\s*)\s*['"]([^'"]+)['"]/.exec(source.text)?.[1];
  const version =
    /^[ \t]*version\s*=?\s*['"]([^'"]+)['"]/m.exec(source.text)?.[1] ??
    /^version\s*=\s*(\S+)/m.exec(project.text('gradle.properties') ?? '')?.[1];
  return written ?? `${name}${version === undefined ? '' : `-${version}`}.jar`;
}

function above(project: Project, name: string): string | undefined {
  const files = new Set(project.snapshot.files);
  for (let path = project.path; ; path = directoryOf(path)) {
    if (files.has(join(path, name))) {
      const way = relativeTo(project.path, join(path, name));
      return way.startsWith('..') ? way : `./${way}`;
    }
    if (path === '.') return undefined;
  }
}

/** Artifact names of both build tools, plain and with their group. */
function artifacts(text: string): readonly string[] {
  const blocks = [...text.matchAll(/<dependency>([\s\S]*?)<\/dependency>/g)]
    .map((match) => match[1] ?? '')
    .filter((block) => !/<scope>\s*test/.test(block));
  const maven = blocks.flatMap((block) =>
    [.../<(?:groupId|artifactId)>\s*([^<\s]+)\s*</g[Symbol.matchAll](block)].map(
      (match) => match[1] ?? '',
    ),
  );
  const lines = text.split('\n').filter((line) => !/\btest\w*\(|\btest\w+\s/i.test(line));
  const gradle = lines.flatMap((line) =>
    [...line.matchAll(/['"\s]([\w.-]+):([\w.-]+)(?::[^'"]*)?/g)].flatMap((match) => [
      match[1] ?? '',
      match[2] ?? '',
    ]),
  );
  return [...maven, ...gradle];
}
