import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeFile } from '../evidence.ts';
import { at } from '../json.ts';
import { firstOf, type Project } from '../project.ts';

const NOTHING = {
  ecosystem: 'static',
  packageManager: null,
  install: null,
  start: null,
  dependencies: [],
} as const;

/** Sites that are plain files, or become so through a generator outside the other ecosystems. */
export function staticVerdict(project: Project): Verdict | undefined {
  return generated(project) ?? plain(project);
}

/** Site generators by their configuration file, their command and the directory they fill. */
const GENERATORS: readonly {
  readonly framework: string;
  readonly configs: readonly string[];
  readonly build: string;
  readonly output: string;
  readonly fits: (project: Project, config: string) => boolean;
}[] = [
  {
    framework: 'hugo',
    configs: [
      'hugo.toml',
      'hugo.yaml',
      'hugo.json',
      'config/_default/hugo.toml',
      'config.toml',
      'config.yaml',
    ],
    build: 'hugo --minify',
    output: 'public',
    fits: (project, config) =>
      /baseURL|theme|title/i.test(project.text(config) ?? '') &&
      (config.includes('hugo') ||
        project.files.some((file) => /^(content|layouts|themes)\//.test(file))),
  },
  {
    framework: 'jekyll',
    configs: ['_config.yml'],
    build: 'jekyll build',
    output: '_site',
    fits: (project) =>
      project.files.some((file) => /^(_posts|_layouts|index\.(md|html))/.test(file)),
  },
  {
    framework: 'mkdocs',
    configs: ['mkdocs.yml', 'mkdocs.yaml'],
    build: 'mkdocs build',
    output: 'site',
    fits: (project) => !project.files.some((file) => /\.(py|js|ts|go|rs)$/.test(file)),
  },
  {
    framework: 'mdbook',
    configs: ['book.toml'],
    build: 'mdbook build',
    output: 'book',
    fits: (project) => !project.has('Cargo.toml'),
  },
  {
    framework: 'zola',
    configs: ['zola.toml'],
    build: 'zola build',
    output: 'public',
    fits: () => true,
  },
];

function generated(project: Project): Verdict | undefined {
  for (const { framework, configs, build, output, fits } of GENERATORS) {
    const config = firstOf(project, configs);
    if (config !== undefined && fits(project, config))
      return service(site(project, framework, build, output, config));
  }
  return undefined;
}

function plain(project: Project): Verdict | undefined {
  const page = firstOf(project, [
    'index.html',
    'public/index.html',
    'site/index.html',
    'www/index.html',
    'htdocs/index.html',
    'src/index.html',
  ]);
  if (page === undefined) return undefined;
  const directory = page.includes('/') ? page.slice(0, page.lastIndexOf('/')) : '.';
  return service({
    ...NOTHING,
    kind: 'frontend',
    framework: null,
    build: null,
    staticDir: directory,
    manifest: page,
    evidence: [citeFile('ecosystem', 'static', project.source(page).file, 'index-html')],
  });
}

function site(
  project: Project,
  framework: string,
  build: string,
  staticDir: string,
  manifest: string,
): Draft {
  return {
    ...NOTHING,
    kind: 'frontend',
    framework,
    build,
    staticDir,
    manifest,
    evidence: [citeFile('framework', framework, project.source(manifest).file, 'site-config')],
  };
}

/** Apps for phones that no other rule sees. */
export function mobileVerdict(project: Project): Verdict | undefined {
  const pubspec = project.source('pubspec.yaml');
  if (project.has('pubspec.yaml')) {
    if (/^[ \t]*flutter\s*:/m.test(pubspec.text))
      return other(
        'mobile-app',
        'a Flutter app',
        cite('deployable', 'false', pubspec, /^[ \t]*flutter\s*:/m, 'flutter'),
      );
    return dart(project);
  }
  const android = project.files.find((file) => /(^|\/)AndroidManifest\.xml$/.test(file));
  return android === undefined
    ? undefined
    : other(
        'mobile-app',
        'an Android app',
        citeFile('deployable', 'false', project.source(android).file, 'android-manifest'),
      );
}

function dart(project: Project): Verdict {
  const source = project.source('pubspec.yaml');
  const shelf = ['shelf', 'dart_frog', 'serverpod'].find(
    (name) => at(project.data('pubspec.yaml'), 'dependencies', name) !== undefined,
  );
  const main = firstOf(project, ['bin/server.dart', 'bin/main.dart', 'lib/main.dart']);
  if (shelf === undefined || main === undefined)
    return other(
      'library',
      'a Dart package',
      citeFile('deployable', 'false', source.file, 'dart-package'),
    );
  return service({
    kind: 'backend',
    ecosystem: 'unknown',
    framework: shelf,
    packageManager: 'pub',
    install: 'dart pub get',
    build: `dart compile exe ${main} -o server`,
    start: './server',
    defaultPort: 8080,
    dependencies: [],
    manifest: 'pubspec.yaml',
    evidence: [cite('framework', shelf, source, shelf, 'dependency')],
  });
}
