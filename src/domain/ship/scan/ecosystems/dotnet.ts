import { type Draft, other, service, type Verdict } from '../draft.ts';
import { cite, citeFile, type Source } from '../evidence.ts';
import type { LaneKind } from '../lane.ts';
import { type Project, topFiles } from '../project.ts';
import { baseOf } from '../snapshot.ts';

const FRAMEWORKS = { backend: 'aspnet', frontend: 'blazor', worker: null, infra: null } as const;

/** What a .NET project file makes of its directory. */
export function dotnetVerdict(project: Project): Verdict | undefined {
  const file = topFiles(project, /\.(csproj|fsproj|vbproj)$/)[0];
  if (file === undefined) return undefined;
  const source = project.source(file);
  const { text } = source;
  const sdk = /<Project\s+Sdk="([^"]+)"/.exec(text)?.[1] ?? '';
  if (/Microsoft\.NET\.Test\.Sdk|<IsTestProject>\s*true/i.test(text))
    return other(
      'tests',
      'a test project',
      cite('deployable', 'false', source, /Test/, 'test-project'),
    );
  if (/<UseMaui>\s*true|Xamarin|net\d+\.\d+-(android|ios)/.test(text))
    return other(
      'mobile-app',
      'a mobile app (.NET MAUI)',
      cite('deployable', 'false', source, /Maui|Xamarin|-android|-ios/, 'mobile-app'),
    );
  if (/<UseWPF>\s*true|<UseWindowsForms>\s*true|Avalonia/.test(text))
    return other(
      'desktop-app',
      'a desktop app',
      cite('deployable', 'false', source, /WPF|WindowsForms|Avalonia/, 'desktop-app'),
    );
  const kind = kindOf(project, sdk, text);
  if (kind !== undefined) return service(draftOf(project, file, source, kind));
  if (/<OutputType>\s*Exe/i.test(text) || /<PackAsTool>\s*true/.test(text))
    return other(
      'cli',
      'a command line tool (a console project that does not listen)',
      cite('deployable', 'false', source, /<OutputType>|<PackAsTool>/, 'console-project'),
    );
  return other(
    'library',
    'a .NET library',
    cite('deployable', 'false', source, /<Project/, 'class-library'),
  );
}

function kindOf(project: Project, sdk: string, text: string): LaneKind | undefined {
  if (sdk === 'Microsoft.NET.Sdk.BlazorWebAssembly') return 'frontend';
  const code = project
    .sources(['.cs', '.fs'])
    .map((one) => one.text)
    .join('\n');
  if (
    sdk === 'Microsoft.NET.Sdk.Web' ||
    /FrameworkReference\s+Include="Microsoft\.AspNetCore\.App"/.test(text)
  ) {
    if (
      /AddHostedService/.test(code) &&
      !/WebApplication|UseRouting|Map(Get|Post|Controllers)|ConfigureWebHost/.test(code)
    )
      return 'worker';
    return sdk === 'Microsoft.NET.Sdk.Web' || /WebApplication/.test(code) ? 'backend' : undefined;
  }
  if (sdk === 'Microsoft.NET.Sdk.Worker') return 'worker';
  if (/AddHostedService|: BackgroundService|while\s*\(\s*true\s*\)/.test(code)) return 'worker';
  return /HttpListener\b/.test(code) ? 'backend' : undefined;
}

function draftOf(project: Project, file: string, source: Source, kind: LaneKind): Draft {
  const assembly =
    /<AssemblyName>\s*([^<\s]+)\s*</.exec(source.text)?.[1] ??
    baseOf(file).replace(/\.\w+proj$/, '');
  const browser = kind === 'frontend';
  const framework = FRAMEWORKS[kind];
  const start = browser ? null : `dotnet out/${assembly}.dll`;
  const path = healthCheck(project);
  return {
    kind,
    ecosystem: 'dotnet',
    framework,
    packageManager: 'nuget',
    install: 'dotnet restore',
    build: 'dotnet publish -c Release -o out',
    start,
    ...(browser ? { staticDir: 'out/wwwroot' } : {}),
    ...(kind === 'backend'
      ? { defaultPort: 5000, defaultBinding: { by: 'env', name: 'ASPNETCORE_HTTP_PORTS' } as const }
      : {}),
    ...(path === undefined ? {} : { defaultHealth: path }),
    dependencies: [...source.text.matchAll(/PackageReference\s+Include="([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    ),
    manifest: file,
    evidence: [
      framework === null
        ? cite('ecosystem', 'dotnet', source, /Sdk=/, 'project-sdk')
        : cite('framework', framework, source, /Sdk=/, 'project-sdk'),
      citeFile('package_manager', 'nuget', source.file, 'project-file'),
      ...(start === null
        ? []
        : [cite('start', start, source, /<AssemblyName>|<Project/, 'assembly')]),
    ],
  };
}

function healthCheck(project: Project): string | undefined {
  for (const { text } of project.sources(['.cs', '.fs'])) {
    const path = /MapHealthChecks\(\s*"([^"]+)"/.exec(text)?.[1];
    if (path !== undefined) return path;
  }
  return undefined;
}
