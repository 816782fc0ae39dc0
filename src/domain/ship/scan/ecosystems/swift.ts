import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeFile } from '../evidence.ts';
import { type Project, topFiles } from '../project.ts';

/** What a Package.swift or an Xcode project makes of its directory. */
export function swiftVerdict(project: Project): Verdict | undefined {
  const xcode = project.files.find((file) =>
    /^(?:[^/]+\/)?[^/]+\.(xcodeproj|xcworkspace)\//.test(file),
  );
  if (!project.has('Package.swift')) return appleApp(project, xcode);
  const source = project.source('Package.swift');
  const framework = ['vapor', 'hummingbird', 'kitura', 'perfect'].find((name) =>
    new RegExp(String.raw`/${name}(\.git)?"`, 'i').test(source.text),
  );
  const name =
    /\.executableTarget\(\s*name:\s*"([^"]+)"/.exec(source.text)?.[1] ??
    /\.executable\(\s*name:\s*"([^"]+)"/.exec(source.text)?.[1];
  if (framework !== undefined && name !== undefined)
    return service(draftOf(project, framework, name));
  if (xcode !== undefined || /\.iOS\(/.test(source.text))
    return other(
      name === undefined ? 'library' : 'mobile-app',
      'a package for Apple devices',
      cite('deployable', 'false', source, /\.iOS\(|name:/, 'apple-platforms'),
    );
  if (name !== undefined)
    return other(
      'cli',
      'a command line tool (an executable that uses no web framework)',
      cite('deployable', 'false', source, 'executable', 'swift-executable'),
    );
  return other(
    'library',
    'a Swift library',
    cite('deployable', 'false', source, /\.library\(|name:/, 'swift-library'),
  );
}

function appleApp(project: Project, xcode: string | undefined): Verdict | undefined {
  const file = xcode ?? topFiles(project, /^(Podfile|Cartfile)$/)[0];
  if (file === undefined) return undefined;
  return other(
    'mobile-app',
    'an app for iOS or macOS',
    citeFile('deployable', 'false', project.source(file).file, 'xcode-project'),
  );
}

function draftOf(project: Project, framework: string, name: string): Draft {
  const source = project.source('Package.swift');
  const start =
    framework === 'vapor'
      ? `.build/release/${name} serve --env production`
      : `.build/release/${name}`;
  return {
    kind: 'backend',
    ecosystem: 'swift',
    framework,
    packageManager: 'swiftpm',
    install: 'swift package resolve',
    build: 'swift build -c release',
    start,
    defaultPort: 8080,
    defaultBinding: { by: 'flag', flag: '--port', host: '--hostname' },
    dependencies: [...source.text.matchAll(/url:\s*"[^"]*\/([\w.-]+?)(?:\.git)?"/g)].map(
      (match) => match[1] ?? '',
    ),
    manifest: 'Package.swift',
    evidence: [
      cite('framework', framework, source, new RegExp(`/${framework}`, 'i'), 'dependency'),
      citeFile('package_manager', 'swiftpm', source.file, 'package-swift'),
      cite('start', start, source, /\.executable/, 'executable-target'),
    ],
  };
}
