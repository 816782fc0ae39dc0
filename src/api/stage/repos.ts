import type { StagedRepo } from '../../domain/convoy/findings.ts';
import type { ConvoyOptions } from '../../domain/convoy/convoy.ts';
import { repoName } from '../../domain/work/ids.ts';
import { repoAggregate } from '../../ledger/aggregates/repo.ts';
import type { Tx } from '../../ledger/transaction.ts';
import type { RepoSettings, Settings } from '../../ports/settings.ts';
import { agentCheck } from '../../ports/missing-agent.ts';
import type { Services } from '../context.ts';
import { branchExists, commitsAhead, createBranch } from '../git-facts.ts';

/** What git says about the branch that work is based on. */
export type BranchFacts = Pick<StagedRepo, 'base' | 'targetAhead'>;

/** What git said about repos before the transaction began. */
export type GitFacts = ReadonlyMap<string, BranchFacts>;

export const NOT_ASKED: GitFacts = new Map();

export const gitKey = (repo: string, base: string | null): string => `${repo} ${base ?? ''}`;

/** Says what configuration, ledger and git know about every repository a batch touches. */
export async function stagedRepos(
  names: Iterable<string>,
  tx: Tx,
  services: Services,
  settings: Settings,
  chosen: Partial<ConvoyOptions>,
  git: GitFacts,
): Promise<Map<string, StagedRepo>> {
  const missing = agentCheck(settings, services.machine);
  const found = new Map<string, StagedRepo>();
  for (const name of new Set(names)) {
    const state = await tx.load(repoAggregate, name);
    const parked = state?.state.parked ?? null;
    const repo = settings.repos[name];
    found.set(
      name,
      repo === undefined
        ? unknownRepo(name, parked)
        : {
            ...unknownRepo(name, parked),
            configured: true,
            gates: repo.gates.length,
            agent: repo.agent === null ? null : { name: repo.agent, missing: missing(repo.agent) },
            review: chosen.review ?? repo.review,
            goesOn: (chosen.failurePolicy ?? repo.failurePolicy) === 'continue',
            ...(await known(git, name, repo, chosen, services)),
          },
    );
  }
  return found;
}

/** What git said before, or says now about what was not asked then. */
async function known(
  git: GitFacts,
  name: string,
  repo: RepoSettings,
  { baseBranches }: Partial<ConvoyOptions>,
  services: Services,
): Promise<BranchFacts> {
  const base = baseBranches?.[name] ?? null;
  return git.get(gitKey(name, base)) ?? branchFacts(repo, base, services);
}

/** Makes the base branches that git has not, from each repo's target; says whether it made any. */
export async function createBases(
  repos: Iterable<StagedRepo>,
  settings: Settings,
  { repositories }: Services,
): Promise<boolean> {
  let made = false;
  for (const { name, base } of repos) {
    const repo = settings.repos[name];
    if (base === null || base.exists || repo === undefined || repo.target === null) continue;
    if (repo.source.kind !== 'path' || repo.target === base.branch) continue;
    if (await createBranch(repositories, repo.source.path, base.branch, repo.target)) made = true;
  }
  return made;
}

const unknownRepo = (name: string, parked: string | null): StagedRepo => ({
  name: repoName(name),
  configured: false,
  parked,
  gates: 0,
  agent: null,
  review: 'none',
  base: null,
  targetAhead: 0,
});

export async function branchFacts(
  repo: RepoSettings,
  asked: string | null,
  { repositories }: Services,
): Promise<BranchFacts> {
  if (repo.source.kind !== 'path') return { base: null, targetAhead: 0 };
  const { path } = repo.source;
  const base = asked ?? repo.target;
  if (base === null) return { base: null, targetAhead: 0 };
  const exists = await branchExists(repositories, path, base);
  if (!exists || repo.target === null || repo.target === base)
    return { base: { branch: base, exists }, targetAhead: 0 };
  return {
    base: { branch: base, exists },
    targetAhead: await commitsAhead(repositories, path, repo.target, base),
  };
}
