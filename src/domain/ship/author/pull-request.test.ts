import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeSpan, plainText } from './markdown.ts';
import { pullRequestText, type PullRequestFacts } from './pull-request.ts';

const FACTS: PullRequestFacts = {
  planId: 'plan-7k',
  branch: 'convoy/plan-7k',
  target: 'main',
  files: [
    { path: 'Dockerfile', content: '', action: 'create', reason: 'new', lane: 'api' },
    { path: 'fly.toml', content: '', action: 'skip', reason: 'edited-by-developer', lane: 'api' },
    { path: '.env.schema', content: '', action: 'unchanged', reason: 'up-to-date', lane: 'api' },
  ],
  refused: [],
  carry: null,
  rehearsals: [
    {
      lane: 'api',
      outcome: 'passed',
      healthPath: '/health',
      requests: 600,
      errorRate: 0.005,
      p99Ms: 12.34,
    },
  ],
  approvals: [{ kind: 'open_pr', status: 'approved', by: 'ada' }],
  rollback: [{ lane: 'api', how: 'traffic back to release 4' }],
};

test('the text says what is written, what is left alone and what was measured', () => {
  const { title, body } = pullRequestText(FACTS);
  expect(title).toBe('convoy: deployment files for api');
  expect(body).toContain('| `Dockerfile` | create | new | api |');
  expect(body).toContain('- `fly.toml`: a developer edited it, so it is theirs now');
  expect(body).not.toContain('.env.schema');
  expect(body).toContain('| api | passed | `/health` | 600 | 0.50 % | – | 12.3 ms | – |');
  expect(body).toContain('- api: traffic back to release 4');
  expect(body).toContain('- open pr: approved by `ada`');
});

describe('DC-34 carried files', () => {
  const carry = {
    base: 'b',
    tree: 't',
    subject: 'close the pool',
    files: [
      {
        path: 'src/db.js',
        from: null,
        change: 'modified',
        added: 3,
        removed: 1,
        diff: '',
        truncated: false,
      },
      {
        path: 'new name.js',
        from: 'old|name.js',
        change: 'renamed',
        added: 0,
        removed: 0,
        diff: '',
        truncated: false,
      },
      {
        path: 'logo.png',
        from: null,
        change: 'added',
        added: null,
        removed: null,
        diff: '',
        truncated: false,
      },
    ],
    withheld: [{ path: '.env', reason: 'secret-name' }],
  } as const;

  test('each is listed with what happened to it, and so is each that was held back', () => {
    const { body } = pullRequestText({ ...FACTS, carry });
    expect(body).toContain('3 files, uncommitted');
    expect(body).toContain('| `src/db.js` | modified | +3 −1 |');
    expect(body).toContain(
      String.raw`| ${'`'}old\|name.js${'`'} → ${'`'}new name.js${'`'} | renamed | +0 −0 |`,
    );
    expect(body).toContain('| `logo.png` | added | binary |');
    expect(body).toContain('- `.env`: its name says that it holds a secret');
  });

  test('when nothing was carried, the text says so', () => {
    expect(pullRequestText(FACTS).body).toContain('Nothing uncommitted was carried.');
    expect(pullRequestText({ ...FACTS, carry: { ...carry, files: [] } }).body).toContain(
      'Nothing uncommitted was carried.',
    );
  });
});

test('a demo says that it is one', () => {
  const { title, body } = pullRequestText({ ...FACTS, demo: true });
  expect(title).toMatch(/^\[demo\] /);
  expect(body).toContain('This is a demo');
});

test('the text fits the forge however much there is to say', () => {
  const files = Array.from({ length: 5_000 }, (_, at) => ({
    path: `${'d'.repeat(200)}/${at}`,
    content: '',
    action: 'create' as const,
    reason: 'new' as const,
    lane: 'l'.repeat(500),
  }));
  const { body } = pullRequestText({ ...FACTS, files });
  expect(body.length).toBeLessThan(65_536);
  expect(body).toContain('and 4900 more');
});

const UNIT = fc.constantFrom(
  ...'ab `|\\\n\r\t<>&*_[]()#@-:/!é'.split(''),
  '\u2028',
  '\u202e',
  '\u200b',
);

describe('foreign text', () => {
  test.each([
    '@everyone',
    '#1',
    'https://evil.example',
    '<img src=x onerror=y>',
    '[x](y)',
    '**b**',
    '`c`',
    'a|b',
    '- x',
    '1. x',
  ])('%s means nothing in Markdown', (text) => {
    const shown = plainText(text);
    expect(shown).not.toMatch(/(?:^|[^\\])[[\]`*|]|@[a-z]|#\d|:\/\/|<|^[-+] |^\d+\. /);
    expect(
      shown
        .replaceAll(/[\\\u200b]/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>'),
    ).toBe(text);
  });

  test('a bar behind a backslash does not end a cell', () => {
    expect(codeSpan(String.raw`a\|b`)).toBe('`a\\\u200b\\|b`');
  });

  test('property: no text leaves its cell or its code', () => {
    fc.assert(
      fc.property(fc.string({ unit: UNIT, maxLength: 80 }), (text) => {
        for (const shown of [plainText(text), codeSpan(text)]) {
          expect(shown).not.toMatch(/[\n\r]/);
          expect(shown.replaceAll(/\\./g, '')).not.toContain('|');
        }
        const span = codeSpan(text);
        const fence = /^`*/.exec(span)?.[0] ?? '';
        const inner = span.slice(fence.length, span.length - fence.length);
        const runs = inner.match(/`+/g) ?? [];
        expect(runs.every((run) => run.length !== fence.length)).toBe(true);
      }),
    );
  });
});
