import { at, stringOf } from '../json.ts';
import { firstOf, type Project } from '../project.ts';
import { type Resolved, resolveScript, scriptsOf } from '../scripts.ts';
import { normalise } from '../snapshot.ts';
import { withoutRemarks } from '../without-comments.ts';

const SCRIPT_ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** Programs that watch and rebuild: fine for a developer, wrong for production. */
const FOR_DEVELOPERS =
  /\b(nodemon|ts-node-dev|tsnd|next dev|nuxt dev|nuxi dev|vite dev|astro dev|remix dev|react-router dev|remix vite:dev|nest start|webpack serve|webpack-dev-server|react-scripts start|vue-cli-service serve|ng serve|gatsby develop|parcel|docusaurus start|wrangler dev|netlify dev|vercel dev|eleventy --serve|strapi develop|ember serve)\b|--watch\b|\bwatch\b|^vite$|^vite (?!build|preview)|(^|\s)(tsx|bun) watch\b/;

const PRODUCTION_NAMES = [
  'start',
  'start:prod',
  'start:production',
  'start-prod',
  'prod',
  'production',
  'serve:prod',
  'start:server',
  'server',
  'serve',
  'start:api',
];

/** The script that starts the package in production, followed to what it runs. */
export function startScript(project: Project): Resolved | undefined {
  const scripts = scriptsOf(project);
  const candidates = PRODUCTION_NAMES.flatMap((name) => {
    const found = resolveScript(project, scripts, name, 'start');
    return found === undefined ? [] : [found];
  });
  const fit = candidates.find((one) => !FOR_DEVELOPERS.test(one.command));
  return fit ?? candidates.find(({ script }) => script === 'start');
}

export const isForDevelopers = (command: string): boolean => FOR_DEVELOPERS.test(command);

/** True for a root script that only hands the work to the packages of a workspace. */
export function delegatesToWorkspaces(start: Resolved): boolean {
  return /\b(turbo|nx|lerna|concurrently|npm-run-all|run-p|wsrun|ultra)\b|\s(-w|--workspace|--workspaces|-r|--recursive|--filter|-F|--cwd|--prefix|workspace|workspaces)\b|\bcd\s/.test(
    start.command,
  );
}

const LISTENS =
  /\.listen\s*\(|\bcreateServer\s*\(|\bBun\.serve\s*\(|\bDeno\.serve\s*\(|\bserve\s*\(\s*(\{|app\b)|\.bindAsync\s*\(|export default\s*\{[^}]*\bfetch\b|startStandaloneServer\(|createHTTPServer\(/;

/** True when some file of the package opens a socket for requests. */
export function listens(project: Project): boolean {
  return listeningFile(project) !== undefined;
}

export function listeningFile(project: Project): string | undefined {
  const sources = project
    .sources(SCRIPT_ENDINGS)
    .filter(({ file }) => !/(^|\/)[\w.-]+\.config\.\w+$/.test(file));
  const found = sources.find(({ text, file }) => LISTENS.test(withoutRemarks(text, file)));
  if (found === undefined) return undefined;
  return project.path === '.' ? found.file : found.file.slice(project.path.length + 1);
}

/** The source files a start command leads to: `node dist/main.js` begins in src/main.ts. */
export function entriesOf(project: Project, command: string): readonly string[] {
  const words = command.split(/\s+/).filter((word) => /[./\w]/.test(word) && !word.startsWith('-'));
  return words.flatMap((word) => {
    const path = normalise(word.replaceAll(/["']/g, '')) ?? '';
    const stem = path.replace(/\.[cm]?[jt]sx?$/, '');
    if (stem === '' || stem === '.') return [];
    const bare = stem.replace(/^(dist|build|out|lib|output|\.output)\//, '');
    const stems = [stem, `src/${bare}`, bare, `${stem}/index`, `src/${bare}/index`];
    const file = firstOf(project, [
      path,
      ...stems.flatMap((one) =>
        ['.ts', '.js', '.mjs', '.cjs', '.mts', '.tsx'].map((ending) => one + ending),
      ),
    ]);
    return file === undefined ? [] : [file];
  });
}

/** A start command for a package that has a program but no script for it. */
export function startWithoutScript(
  project: Project,
  all: ReadonlySet<string>,
  manager: string,
): { readonly command: string; readonly file: string } | undefined {
  const main = stringOf(at(project.data('package.json'), 'main'));
  const mainFile =
    main === undefined ? undefined : firstOf(project, [normalise(main) ?? '', `${main}.js`]);
  const file =
    listeningFile(project) ??
    mainFile ??
    firstOf(project, [
      'server.js',
      'app.js',
      'index.js',
      'main.js',
      'src/index.js',
      'src/server.js',
      'server.ts',
      'index.ts',
      'src/index.ts',
      'src/server.ts',
      'src/main.ts',
      'worker.js',
      'src/worker.js',
      'src/worker.ts',
    ]);
  if (file === undefined) return undefined;
  if (manager === 'bun') return { command: `bun run ${file}`, file };
  const runner =
    file.endsWith('ts') && all.has('tsx')
      ? 'tsx'
      : file.endsWith('ts') && all.has('ts-node')
        ? 'ts-node'
        : 'node';
  return { command: `${runner} ${file}`, file };
}
