import { type Draft, service, type Verdict } from './draft.ts';
import { dockerVerdict } from './ecosystems/container.ts';
import { denoVerdict } from './ecosystems/deno.ts';
import { dotnetVerdict } from './ecosystems/dotnet.ts';
import { elixirVerdict } from './ecosystems/elixir.ts';
import { goVerdict } from './ecosystems/go.ts';
import { jvmVerdict } from './ecosystems/jvm.ts';
import { nestWorkspace, nxVerdict } from './ecosystems/node-monorepo.ts';
import { nodeVerdict } from './ecosystems/node.ts';
import { phpVerdict } from './ecosystems/php.ts';
import { mobileVerdict, staticVerdict } from './ecosystems/plain-files.ts';
import { pythonVerdict } from './ecosystems/python.ts';
import { rubyVerdict } from './ecosystems/ruby.ts';
import { rustVerdict } from './ecosystems/rust.ts';
import { swiftVerdict } from './ecosystems/swift.ts';
import type { NotAService } from './lane.ts';
import { withProcesses } from './processes.ts';
import type { Project } from './project.ts';

const RULES: readonly ((project: Project) => Verdict | undefined)[] = [
  denoVerdict,
  (project) => nxVerdict(project) ?? nestWorkspace(project) ?? nodeVerdict(project),
  pythonVerdict,
  rubyVerdict,
  phpVerdict,
  goVerdict,
  rustVerdict,
  jvmVerdict,
  dotnetVerdict,
  elixirVerdict,
  swiftVerdict,
  mobileVerdict,
];

/** Frameworks that serve pages themselves, so that they are a lane beside another language. */
const SELF_SERVING = new Set(['next', 'nuxt', 'sveltekit', 'remix', 'react-router', 'astro']);

/** What one directory is: the services in it, or the best reason why it is none. */
export function judge(project: Project): Verdict | undefined {
  const verdicts = RULES.flatMap((rule) => rule(project) ?? []);
  const drafts = strongest(
    verdicts.flatMap((verdict) => (verdict.is === 'service' ? verdict.drafts : [])),
  );
  const processes = withProcesses(project, drafts);
  if (processes.length > 0) return service(...processes);
  const others = verdicts.filter((verdict) => verdict.is === 'other');
  const [best] = others.toSorted((a, b) => rank(a.what) - rank(b.what));
  if (best === undefined || rank(best.what) >= rank('assets'))
    return dockerVerdict(project) ?? staticVerdict(project) ?? best;
  return best;
}

function strongest(drafts: readonly Draft[]): readonly Draft[] {
  const deno = drafts.some(({ ecosystem }) => ecosystem === 'deno');
  const kept = deno ? drafts.filter(({ ecosystem }) => ecosystem !== 'node') : drafts;
  const named = kept.some(({ framework }) => framework !== null);
  const servers = new Set(kept.filter(isServer).map(({ ecosystem }) => ecosystem));
  const others = [...servers].some((ecosystem) => ecosystem !== 'node');
  const ecosystems = new Set(kept.map(({ ecosystem }) => ecosystem));
  return kept.filter((draft) => {
    // Assets built for a page that another language renders are no lane of their own.
    if (draft.ecosystem === 'node' && draft.kind === 'frontend' && others)
      return SELF_SERVING.has(draft.framework ?? '');
    return draft.framework !== null || !named || ecosystems.size === 1;
  });
}

const isServer = ({ kind }: Draft): boolean => kind === 'backend';

const RANKS: readonly NotAService[] = [
  'mobile-app',
  'desktop-app',
  'extension',
  'cli',
  'library',
  'tests',
  'assets',
  'nothing',
];
const rank = (what: NotAService): number => RANKS.indexOf(what);
