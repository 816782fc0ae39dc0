import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Lane, ScanResult } from '../scan/lane.ts';
import { authorLanes } from './author-lanes.ts';
import { canonical } from './canonical.ts';
import { chooseLanes, draftPlan } from './draft-plan.ts';
import { driftOf } from './drift.ts';
import { asPlan, planHash, planIds } from './identity.ts';
import { dependantsOf, laneOrder } from './lane-order.ts';
import type { PlanFile, PlanRepo } from './plan.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const REPO: PlanRepo = {
  name: 'shop',
  path: '/srv/shop',
  source: '/srv/shop',
  origin: 'directory',
  sha: 'a'.repeat(40),
  committed_at: '2024-01-01T00:00:00Z',
  branch: 'main',
  git: true,
  prefix: '.',
  remote: null,
  dirty: [],
  dirty_digest: 'clean',
};

const lane = (name: string, over: Partial<Lane> = {}): Lane => ({
  name,
  kind: 'backend',
  path: name,
  dependsOn: [],
  ecosystem: 'node',
  framework: 'express',
  packageManager: 'npm',
  install: 'npm install',
  installPath: '.',
  build: null,
  buildVia: null,
  start: 'node app.js',
  startVia: 'npm start',
  startEnv: {},
  hooks: [],
  migrate: null,
  staticDir: null,
  schedule: null,
  port: 3000,
  portBinding: { by: 'env', name: 'PORT' },
  healthPath: '/health',
  datastores: [],
  secrets: ['API_KEY'],
  settings: [],
  dockerfile: null,
  evidence: [],
  ...over,
});

const scanned = (lanes: readonly Lane[], over: Partial<ScanResult> = {}): ScanResult => ({
  repo: 'shop',
  deployable: lanes.length > 0,
  reason: lanes.length > 0 ? 'Found services.' : 'It is a library.',
  lanes,
  passed: [],
  monorepo: [],
  platformConfigs: [],
  risks: [],
  evidence: [],
  ...over,
});

const FILE: PlanFile = {
  path: 'Dockerfile',
  content: 'FROM scratch\n',
  action: 'create',
  reason: 'new',
  lane: 'api',
};

function drafted(scan: ScanResult, repo: PlanRepo = REPO, files: readonly PlanFile[] = [FILE]) {
  const { lanes, risks } = chooseLanes(scan, { override: 'local', preference: null });
  return draftPlan({
    scan,
    repo,
    lanes,
    laneRisks: risks,
    files,
    fileRisks: [],
    secrets: { kind: 'absent' },
    options: { platform: 'local', demo: false, parts: [], fly_app: null },
    thresholds: {
      max_error_rate: 0.05,
      max_p99_ms: 1000,
      load: { rate: 10, seconds: 1, warmup_seconds: 0 },
    },
  });
}

const placed = (name: string, kind: Lane['kind'], ...depends_on: string[]) => ({
  name,
  kind,
  depends_on,
});

describe('what makes a plan', () => {
  test('equal values have one text, whatever the order of their keys', () => {
    expect(canonical({ b: [1, { d: null, c: 'x' }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonical(turned)).toBe(canonical(value));
        // Negative zero has no text of its own in JSON.
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('the same repository gives the same plan at any time', () => {
    const body = drafted(scanned([lane('api')]));
    const early = asPlan(body, sha256, '2024-01-01T00:00:00.000Z');
    const late = asPlan(body, sha256, '2025-01-01T00:00:00.000Z');
    expect(late.id).toBe(early.id);
    expect(late.hash).toBe(early.hash);
    expect(early.id).toMatch(/^plan-[0-9a-z]{5}$/);
    expect(planHash(early, sha256)).toBe(early.hash);
  });

  test('anything else that changes gives another plan', () => {
    const body = drafted(scanned([lane('api')]));
    const { hash } = asPlan(body, sha256, '');
    const other = asPlan({ ...body, files: [{ ...FILE, content: 'FROM node\n' }] }, sha256, '');
    expect(other.hash).not.toBe(hash);
  });

  test('a taken name is lengthened, never changed', () => {
    const ids = planIds(sha256('x'));
    expect(ids.map((id) => id.length)).toEqual([10, 11, 12, 13, 14, 15, 16, 17]);
    for (const id of ids) expect(id.startsWith(ids[0] ?? '?')).toBe(true);
  });

  test('steps end with the author and every one has a way back', () => {
    const plan = drafted(scanned([lane('api')]));
    expect(plan.steps.map(({ id }) => id)).toEqual([
      'scan:api',
      'pick:api',
      'rehearse:api',
      'author',
    ]);
    expect(plan.rollback.map(({ step }) => step)).toEqual(plan.steps.map(({ id }) => id));
    expect(plan.rollback.every(({ text }) => text !== '')).toBe(true);
    expect(plan.approvals.map(({ kind }) => kind)).toEqual(['open_pr']);
    expect(plan.secrets).toEqual([{ lane: 'api', name: 'API_KEY' }]);
  });

  test('without a commit there is no branch, so there is no author', () => {
    const plan = drafted(scanned([lane('api')]), { ...REPO, sha: null });
    expect(plan.steps.map(({ stage }) => stage)).toEqual(['scan', 'pick', 'rehearse']);
    expect(plan.approvals).toEqual([]);
  });

  test('a library is said to be none, with no steps', () => {
    const plan = drafted(scanned([]), REPO, []);
    expect(plan.deployable).toBe(false);
    expect(plan.steps).toEqual([]);
    expect(plan.summary).toBe('shop is not deployed: It is a library.');
    expect(plan.narrative).toBe('I looked at shop and would deploy nothing. It is a library.');
  });

  test('DC-7 lanes of a tree inside a repository are told from its top', () => {
    const { lanes } = chooseLanes(scanned([lane('api', { dockerfile: 'api/Dockerfile' })]), {
      override: null,
      preference: null,
    });
    const [moved] = authorLanes(lanes, 'services');
    expect(moved).toMatchObject({
      path: 'services/api',
      installPath: 'services',
      dockerfile: 'services/api/Dockerfile',
    });
  });
});

describe('the order of lanes', () => {
  test('DC-43 infra, then services, then pages; dependencies before all', () => {
    const lanes = [
      placed('web', 'frontend', 'api'),
      placed('api', 'backend', 'cache'),
      placed('jobs', 'worker'),
      placed('cache', 'worker'),
      placed('db', 'infra'),
    ];
    expect(laneOrder(lanes).map(({ name }) => name)).toEqual(['db', 'cache', 'api', 'jobs', 'web']);
  });

  test('every lane comes out once, and a circle does not hang', () => {
    const names = ['a', 'b', 'c', 'd'];
    const some = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom(...names),
        kind: fc.constantFrom<Lane['kind']>('infra', 'backend', 'worker', 'frontend'),
        depends_on: fc.subarray(names),
      }),
      { selector: ({ name }) => name },
    );
    fc.assert(
      fc.property(some, (lanes) => {
        const ordered = laneOrder(lanes).map(({ name }) => name);
        expect(ordered.toSorted()).toEqual(lanes.map(({ name }) => name).toSorted());
      }),
    );
  });

  test('DC-43 a failed lane holds back those that need it and no others', () => {
    const lanes = [
      placed('db', 'infra'),
      placed('api', 'backend', 'db'),
      placed('web', 'frontend', 'api'),
      placed('docs', 'frontend'),
    ];
    expect([...dependantsOf(new Set(['db']), lanes)].toSorted()).toEqual(['api', 'web']);
    expect([...dependantsOf(new Set(), lanes)]).toEqual([]);
  });
});

describe('DC-13 drift', () => {
  test('the same tree has none', () => expect(driftOf(REPO, REPO)).toEqual([]));

  test('another commit and other files are both said', () => {
    const now = { ...REPO, sha: 'b'.repeat(40), dirty: ['app.js'], dirty_digest: 'other' };
    expect(driftOf(REPO, now)).toEqual([
      'the commit is bbbbbbbbbbbb, the plan was made at aaaaaaaaaaaa',
      'uncommitted changes: app.js',
    ]);
  });

  test('a file that changed once more, and one that changed back, are told apart', () => {
    const planned = { ...REPO, dirty: ['app.js'], dirty_digest: 'one' };
    expect(driftOf(planned, { ...planned, dirty_digest: 'two' })).toEqual([
      'changed again: app.js',
    ]);
    expect(driftOf(planned, { ...planned, dirty: [], dirty_digest: 'two' })).toEqual([
      'no longer changed: app.js',
    ]);
  });
});
