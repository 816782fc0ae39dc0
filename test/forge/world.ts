import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { githubForges } from '../../src/adapters/forges/github/github-forges.ts';
import type { Forge } from '../../src/ports/forge.ts';
import type { ForgeWorld } from '../contracts/forge-contract.ts';
import { type FakeGitHub, startGitHub } from '../fakes/github/server.ts';
import type { Hub } from '../fakes/github/hub.ts';

export const SLUG = 'acme/shop';

export type GitHubWorld = ForgeWorld & { readonly github: FakeGitHub; readonly hub: Hub };

export async function openForge(github: FakeGitHub, token: string = github.token): Promise<Forge> {
  const forges = githubForges({
    token,
    apiUrl: github.apiUrl,
    env: {},
    now: Date.now,
  });
  const opened = await forges.open(github.gitUrl(SLUG));
  if (!opened.ok) throw new Error(opened.error.reason);
  return opened.value;
}

/** GitHub's adapter in front of the fake, with a repository that has a first commit. */
export async function githubWorld(): Promise<GitHubWorld> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'convoy-forge-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const github = await startGitHub(root);
  const hub = github.repository(SLUG);
  const { bare } = hub;
  const commit = (parent: string | null, file: string, text: string): string =>
    commitFile(hub, parent, file, text);
  bare.git('update-ref', 'refs/heads/main', commit(null, 'first.txt', 'first\n'));
  return {
    github,
    hub,
    forge: await openForge(github),
    stranger: await openForge(github, 'ghp_nobody_knows_this_one'),
    branch: (name, file = `${name}.txt`) => {
      const made = commit(bare.head(name) ?? bare.head('main'), file, `${name}\n`);
      bare.git('update-ref', `refs/heads/${name}`, made);
      return made;
    },
    head: bare.head,
    tree: (revision) => bare.git('rev-parse', `${revision}^{tree}`),
    approve: hub.approve,
    requestChanges: hub.requestChanges,
    check: (number, name, conclusion) =>
      hub.check(number, {
        name,
        status: conclusion === null ? 'in_progress' : 'completed',
        conclusion,
      }),
    closeByHand: (number) => hub.close(number),
    mergeByHand: (number) => hub.mergeByHand(number),
    protect: () => {
      hub.protection = { approvals: 1, checks: [] };
    },
    loseNextAnswer: () =>
      void github.failures.push({ method: 'POST', times: 1, status: 502, afterwards: true }),
    limitUntil: (seconds) =>
      void github.failures.push({
        status: 403,
        message: 'API rate limit exceeded',
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(seconds) },
      }),
  };
}

function commitFile({ bare }: Hub, parent: string | null, file: string, text: string): string {
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: bare.path,
    input: text,
    encoding: 'utf8',
  }).trim();
  const before = parent === null ? '' : bare.git('ls-tree', parent);
  const entries = [
    ...before.split('\n').filter((line) => line !== '' && !line.endsWith(`\t${file}`)),
    `100644 blob ${blob}\t${file}`,
  ];
  const tree = execFileSync('git', ['mktree'], {
    cwd: bare.path,
    input: `${entries.join('\n')}\n`,
    encoding: 'utf8',
  }).trim();
  return bare.git(
    'commit-tree',
    tree,
    ...(parent === null ? [] : ['-p', parent]),
    '-m',
    `Write ${file}`,
  );
}
