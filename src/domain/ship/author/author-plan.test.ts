import { describe, expect, test } from 'vitest';
import { authorPlan, type AuthorInput, type AuthorPlan } from './author-plan.ts';
import type { AuthorLane } from './lane.ts';
import { parseProvenance } from './provenance.ts';
import type { Entry, Survey } from './survey.ts';

const LANE: AuthorLane = {
  name: 'api',
  kind: 'backend',
  path: '.',
  ecosystem: 'node',
  framework: 'express',
  packageManager: 'npm',
  install: 'npm install',
  build: null,
  start: 'node app.js',
  port: 3000,
  healthPath: '/health',
  datastores: [],
  secrets: ['DATABASE_URL'],
  platform: 'fly',
};

/** Stands in for a digest: as long as one, and different for different texts. */
const digest = (text: string): string => {
  let sum = 7;
  for (let at = 0; at < text.length; at += 1)
    sum = (sum * 31 + text.charCodeAt(at)) % 2_147_483_647;
  return sum.toString(16).padStart(64, '0');
};

const plan = (more: Partial<AuthorInput> = {}): AuthorPlan =>
  authorPlan({
    project: 'shop',
    lanes: [LANE],
    survey: [],
    provenance: null,
    generatedAt: '2026-01-01T00:00:00.000Z',
    sha256: digest,
    lint: () => [],
    ...more,
  });

const at = (made: AuthorPlan, path: string) => made.files.find((file) => file.path === path);
const standing = (path: string, ...contents: string[]): Entry => ({
  path,
  sort: 'file',
  digests: contents.map(digest),
});

/** The repository after a first plan was carried out to the letter. */
function afterwards(first: AuthorPlan): Pick<AuthorInput, 'survey' | 'provenance'> {
  return {
    survey: first.files.map(({ path, content }) => standing(path, content)),
    provenance: parseProvenance(at(first, '.convoy-provenance.json')?.content ?? ''),
  };
}

test('an empty repository gets every file, and a record of them', () => {
  const made = plan();
  expect(made.files.map(({ path, action }) => [path, action])).toEqual([
    ['Dockerfile', 'create'],
    ['.dockerignore', 'create'],
    ['fly.toml', 'create'],
    ['.github/workflows/convoy-api.yml', 'create'],
    ['.env.schema', 'create'],
    ['.convoy-provenance.json', 'create'],
  ]);
  const record = parseProvenance(at(made, '.convoy-provenance.json')?.content ?? '');
  expect(record?.files['Dockerfile']).toBe(digest(at(made, 'Dockerfile')?.content ?? ''));
  expect(record?.generatedAt).toBe('2026-01-01T00:00:00.000Z');
});

test('a second plan changes nothing, not even the time in the record', () => {
  const again = plan({ ...afterwards(plan()), generatedAt: '2027-07-07T00:00:00.000Z' });
  expect(again.files.map(({ action }) => action)).toEqual(Array(6).fill('unchanged'));
  expect(again.files).toMatchObject(plan().files.map(({ path, content }) => ({ path, content })));
});

test('a changed lane updates only the files that differ', () => {
  const made = plan({ ...afterwards(plan()), lanes: [{ ...LANE, healthPath: '/ready' }] });
  expect(made.files.filter(({ action }) => action === 'update').map(({ path }) => path)).toEqual([
    'fly.toml',
    '.convoy-provenance.json',
  ]);
});

describe('whose file it is', () => {
  test('an image of ours that the scan found stays ours', () => {
    const lanes = [{ ...LANE, dockerfile: 'Dockerfile', port: 4000 }];
    const made = plan({ ...afterwards(plan()), lanes });
    expect(at(made, 'Dockerfile')).toMatchObject({ action: 'update', reason: 'template-changed' });
  });

  test('a file that was there before is never overwritten', () => {
    const made = plan({ survey: [standing('Dockerfile', 'FROM scratch\n')] });
    expect(at(made, 'Dockerfile')).toMatchObject({
      action: 'skip',
      reason: 'exists-owned-by-user',
    });
    const record = parseProvenance(at(made, '.convoy-provenance.json')?.content ?? '');
    expect(Object.keys(record?.files ?? {})).not.toContain('Dockerfile');
  });

  test('unless a person agreed to it', () => {
    const survey = [standing('Dockerfile', 'FROM scratch\n')];
    expect(at(plan({ survey, agreed: new Set(['Dockerfile']) }), 'Dockerfile')).toMatchObject({
      action: 'update',
      reason: 'replaced-as-agreed',
    });
  });

  test('DC-31 an edit makes it the developer’s, now and at every later run', () => {
    const { survey, provenance } = afterwards(plan());
    const edited = survey.map((entry) =>
      entry.path === 'Dockerfile' ? standing('Dockerfile', 'FROM mine\n') : entry,
    );
    const lanes = [{ ...LANE, port: 4000 }];
    const second = plan({ survey: edited, provenance, lanes });
    expect(at(second, 'Dockerfile')).toMatchObject({
      action: 'skip',
      reason: 'edited-by-developer',
    });
    const record = parseProvenance(at(second, '.convoy-provenance.json')?.content ?? '');
    const third = plan({ survey: edited, provenance: record, lanes });
    expect(at(third, 'Dockerfile')).toMatchObject({
      action: 'skip',
      reason: 'edited-by-developer',
    });
  });

  test('an edit that is not committed yet counts', () => {
    const { survey, provenance } = afterwards(plan());
    const both: Survey = [...survey, standing('Dockerfile', 'FROM mine\n')];
    expect(at(plan({ survey: both, provenance }), 'Dockerfile')).toMatchObject({
      action: 'skip',
      reason: 'edited-by-developer',
    });
  });

  test('a record that somebody else wrote is left alone', () => {
    const made = plan({ survey: [standing('.convoy-provenance.json', 'mine')] });
    expect(at(made, '.convoy-provenance.json')).toMatchObject({ action: 'skip' });
  });
});

const entry = (path: string, sort: Entry['sort']): Entry => ({ path, sort, digests: [] });

describe('DC-30 what stands in the way', () => {
  const lanes = [{ ...LANE, path: 'apps/api' }];

  test.each([
    ['a linked file', [entry('apps/api/Dockerfile', 'symlink')], 'through-symlink'],
    ['a linked directory', [entry('apps', 'symlink')], 'through-symlink'],
    ['a submodule', [entry('apps/api', 'submodule')], 'not-a-directory'],
    ['a file for a directory', [entry('apps', 'file')], 'not-a-directory'],
    ['a directory for a file', [entry('apps/api/Dockerfile', 'directory')], 'not-a-file'],
    ['another case', [entry('apps/api/dockerfile', 'file')], 'name-variant'],
    ['another case above', [entry('Apps', 'directory')], 'name-variant'],
    ['a wide letter', [entry('apps/api/Ｄockerfile', 'file')], 'name-variant'],
  ] as const)('%s', (_, survey, reason) => {
    const made = plan({ lanes, survey });
    expect(made.refused).toContainEqual(
      expect.objectContaining({ path: 'apps/api/Dockerfile', reason }),
    );
    expect(at(made, 'apps/api/Dockerfile')).toBeUndefined();
  });

  test.each(['..', '../x', '/etc', '.git', 'a/.git/b', 'apps\\api', 'a/../../b'])(
    'a lane at %j gets nothing',
    (path) => {
      const made = plan({ lanes: [{ ...LANE, path }] });
      expect(made.files).toEqual([]);
      expect(made.refused).toHaveLength(1);
    },
  );
});

const lint = (_: string, content: string): string[] =>
  content.includes('bad') ? ['it is bad'] : [];

describe('what a model offers', () => {
  test('is used when it parses', () => {
    const made = plan({ lint, improved: new Map([['Dockerfile', 'FROM better\n']]) });
    expect(at(made, 'Dockerfile')).toMatchObject({ content: 'FROM better\n', action: 'create' });
  });

  test('is left out, and said so, when it does not', () => {
    const made = plan({ lint, improved: new Map([['Dockerfile', 'bad\n']]) });
    expect(at(made, 'Dockerfile')?.content).toBe(at(plan(), 'Dockerfile')?.content);
    expect(at(made, 'Dockerfile')?.note).toContain('it is bad');
  });

  test('is left out when it holds a credential', () => {
    const key = ['AKIA', 'ABCDEFGH23456789'].join('');
    const made = plan({ improved: new Map([['Dockerfile', `FROM a\nENV K=${key}\n`]]) });
    expect(at(made, 'Dockerfile')?.content).not.toContain(key);
  });

  test('for another file is refused', () => {
    const improved = new Map([['src/index.ts', 'x']]);
    expect(plan({ improved }).refused).toMatchObject([
      { path: 'src/index.ts', reason: 'not-owned' },
    ]);
  });
});

test('a template that does not parse is not written', () => {
  const made = plan({ lint: (path) => (path === 'fly.toml' ? ['broken'] : []) });
  expect(made.refused).toMatchObject([{ path: 'fly.toml', reason: 'does-not-parse' }]);
  expect(at(made, 'fly.toml')).toBeUndefined();
});
