import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { githubForges } from '../../src/adapters/forges/github/github-forges.ts';
import { noForges } from '../../src/adapters/forges/none/no-forges.ts';
import { problemOf } from '../../src/adapters/forges/github/problem.ts';
import { slugOf } from '../../src/adapters/forges/github/slug.ts';
import { forgeWords } from '../../src/ports/forge.ts';
import { forgeContract } from '../contracts/forge-contract.ts';
import { githubWorld, openForge } from './world.ts';

forgeContract('GitHub', githubWorld);

describe('the repository behind a remote', () => {
  const PUBLIC = 'https://api.github.com';
  const OWN = 'https://ghe.example.org/api/v3';
  test.each([
    ['https://github.com/acme/shop.git', PUBLIC, 'github.com acme shop'],
    ['https://github.com/acme/shop', PUBLIC, 'github.com acme shop'],
    ['https://ada:secret@github.com/acme/shop.git/', PUBLIC, 'github.com acme shop'],
    ['git@github.com:acme/shop.git', PUBLIC, 'github.com acme shop'],
    ['ssh://git@ssh.github.com:443/acme/shop.git', PUBLIC, 'github.com acme shop'],
    ['git@GitHub.com:acme/shop', PUBLIC, 'github.com acme shop'],
    ['git@ghe.example.org:acme/shop.git', OWN, 'ghe.example.org acme shop'],
    ['https://ghe.example.org/acme/sh.op.git', OWN, 'ghe.example.org acme sh.op'],
    [
      'https://ghe.example.org/acme/shop',
      'https://api.ghe.example.org',
      'ghe.example.org acme shop',
    ],
    ['http://127.0.0.1:9/acme/shop.git', 'http://127.0.0.1:9/api/v3', '127.0.0.1:9 acme shop'],
    ['https://gitlab.com/acme/shop.git', PUBLIC, null],
    ['https://github.com/acme/shop.git', OWN, null],
    ['http://127.0.0.1:8/acme/shop.git', 'http://127.0.0.1:9/api/v3', null],
    ['https://github.com/acme', PUBLIC, null],
    ['https://github.com/a/b/c', PUBLIC, null],
    ['https://github.com/../shop', PUBLIC, null],
    ['/srv/git/shop.git', PUBLIC, null],
    ['file:///srv/git/acme/shop.git', PUBLIC, null],
  ])('%s with %s', (remote, api, expected) => {
    const slug = slugOf(remote, api);
    expect(slug === null ? null : Object.values(slug).join(' ')).toBe(expected);
  });
});

describe('what GitHub means by a refusal', () => {
  const NOW = 1_000_000;
  const said = (status: number, message: string, headers = {}) =>
    problemOf({ status, message, headers }, 'other', NOW);
  test.each([
    [said(401, 'Bad credentials'), 'not_authorised'],
    [said(403, 'Resource not accessible by personal access token'), 'not_authorised'],
    [said(404, 'Not Found'), 'not_found'],
    [said(422, 'Validation Failed'), 'invalid'],
    [said(500, ''), 'unreachable'],
    [said(503, ''), 'unreachable'],
  ])('%o is %s', (problem, kind) => expect(problem.kind).toBe(kind));

  test.each([
    [429, 'Too many', { 'retry-after': '7' }, NOW + 7000],
    [403, 'You have exceeded a secondary rate limit', { 'retry-after': '30' }, NOW + 30_000],
    [403, 'You have exceeded a secondary rate limit', {}, NOW + 60_000],
    [
      403,
      'API rate limit exceeded',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2000' },
      2_000_000,
    ],
    [
      403,
      'API rate limit exceeded',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
      NOW,
    ],
  ])('%i %s %o ends at a time', (status, message, headers, until) =>
    expect(said(status, message, headers)).toMatchObject({ kind: 'rate_limited', until }),
  );

  test.each([
    [405, 'At least 1 approving review is required by reviewers with write access.', 'protected'],
    [405, 'Required status check "build" is expected.', 'protected'],
    [422, 'Repository rule violations found', 'protected'],
    [409, 'Head branch was modified. Review and try the merge again.', 'head_moved'],
    [405, 'Squash merges are not allowed on this repository.', 'method'],
    [405, 'Merge conflict', 'conflict'],
    [405, 'Pull Request is not mergeable', 'other'],
  ])('a merge that says %i %s', (status, message, because) =>
    expect(problemOf({ status, message, headers: {} }, 'merge', NOW)).toMatchObject({
      kind: 'not_mergeable',
      because,
    }),
  );

  test('a token without rights is no rule of the branch', () =>
    expect(
      problemOf(
        { status: 403, message: 'Resource not accessible by personal access token', headers: {} },
        'merge',
        NOW,
      ).kind,
    ).toBe('not_authorised'));
});

test('reviews beyond the first page count', async () => {
  const { forge, branch, hub } = await githubWorld();
  branch('a');
  const made = await forge.create({ branch: 'a', base: 'main', title: 'a', body: '' });
  const number = made.ok ? made.value.number : 0;
  for (let at = 0; at < 120; at++) hub.requestChanges(number, `reviewer-${at}`);
  for (let at = 0; at < 120; at++) hub.approve(number, `reviewer-${at}`);
  const state = await forge.read(number);
  expect(state.ok && [state.value.review, state.value.reviewers.length]).toEqual(['approved', 120]);
});

test('a connection that breaks is no answer, and nothing repeats the token', async () => {
  const { github } = await githubWorld();
  const forge = await openForge(github);
  github.failures.push({ status: 0, times: 1 });
  expect(await forge.find('a')).toMatchObject({ ok: false, error: { kind: 'unreachable' } });
  github.failures.push({ status: 422, message: `you sent token ${github.token}`, times: 1 });
  const echoed = await forge.find('a');
  expect(JSON.stringify(echoed)).not.toContain(github.token);
  expect(JSON.stringify(echoed)).toContain('[token]');
  await github.close();
  expect(await forge.find('a')).toMatchObject({ ok: false, error: { kind: 'unreachable' } });
});

test('without GITHUB_TOKEN the token of gh is used; without that there is no forge', async () => {
  const { github } = await githubWorld();
  const bin = mkdtempSync(join(tmpdir(), 'convoy-gh-'));
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
  const gh = join(bin, 'gh');
  writeFileSync(
    gh,
    `#!/bin/sh\n[ "$*" = "auth token --hostname 127.0.0.1" ] && echo ${github.token}\n`,
  );
  chmodSync(gh, 0o755);
  const wish = { token: null, apiUrl: github.apiUrl, now: Date.now };
  const url = github.gitUrl('acme/shop');
  const opened = await githubForges({ ...wish, env: { PATH: bin + ':/bin' } }).open(url);
  expect(opened.ok && (await opened.value.find('a')).ok).toBe(true);
  writeFileSync(gh, '#!/bin/sh\necho "not logged in" >&2\nexit 1\n');
  const closed = await githubForges({ ...wish, env: { PATH: bin + ':/bin' } }).open(url);
  expect(closed).toMatchObject({ ok: false, error: { kind: 'no_token' } });
  const elsewhere = await githubForges({ ...wish, token: 'x', env: {} }).open('/srv/shop.git');
  expect(elsewhere).toMatchObject({ ok: false, error: { kind: 'unknown_host' } });
  expect(await noForges('it is a demo').open(url)).toMatchObject({
    ok: false,
    error: { reason: 'it is a demo' },
  });
});

test('every problem has words', () =>
  expect(forgeWords({ kind: 'rate_limited', until: 0, detail: '' })).toContain(
    '1970-01-01T00:00:00.000Z',
  ));
