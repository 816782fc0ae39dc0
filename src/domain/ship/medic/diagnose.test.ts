import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { diagnose } from './diagnose.ts';
import type { Evidence } from './evidence.ts';
import type { Snapshot } from './repository.ts';

const evidence: Evidence = {
  lane: 'web',
  lanePath: '.',
  stage: 'start',
  command: 'node server.js',
  cwd: '/srv/app',
  exit: { code: 1, signal: null },
  timedOutMs: null,
  log: '',
  probes: [],
  port: { expected: 3000, listening: [] },
  resources: null,
  env: { needed: [], given: ['PORT'] },
  changes: [],
  previous: null,
  ownedFiles: [],
};
const holding = (files: Record<string, string>): Snapshot => ({
  paths: Object.keys(files),
  text: (path) => files[path] ?? null,
});
const service = holding({
  'server.js': 'const url = process.env.API_URL;\nif (!url) fail();\nlisten(3000);\n',
  'package.json': '{\n  "scripts": { "start": "node server.js" }\n}\n',
});

test('the variable is blamed, not the crash that follows from it', () => {
  const log =
    'API_URL is required\nTypeError: fail is not a function\n    at file:///srv/app/server.js:2:11\n';
  const { diagnosis } = diagnose({ ...evidence, log }, service);
  expect(diagnosis).toMatchObject({
    rootCause: 'The environment variable API_URL is not set, and server.js:1 needs it.',
    classification: 'config',
    owned: 'developer',
    reproduction: 'env -u API_URL node server.js',
  });
});

test('a fault in a file that Convoy wrote is owned by Convoy', () => {
  const files = holding({ Dockerfile: 'FROM node:24\nCOPY missing.txt ./\n' });
  const log =
    'failed to compute cache key: failed to calculate checksum of ref 1: "/missing.txt": not found';
  const given = { ...evidence, stage: 'build' as const, command: 'docker build .', log };
  expect(diagnose({ ...given, ownedFiles: ['Dockerfile'] }, files).diagnosis?.owned).toBe('convoy');
  expect(diagnose(given, files).diagnosis?.owned).toBe('developer');
});

test('without any sign of a fault there is no diagnosis, whatever the log says', () => {
  const log = 'Error: API_URL is required\nEADDRINUSE\nout of memory\n';
  const probe = {
    path: '/',
    statuses: { '200': 100 },
    samples: 100,
    p50: 1,
    p95: 2,
    p99: 3,
    errorRate: 0,
    thresholds: { maxErrorRate: 0.05, maxP99Ms: 1000 },
  };
  const verdict = diagnose({ ...evidence, exit: null, log, probes: [probe] }, service);
  expect(verdict).toEqual({
    diagnosis: null,
    reason: 'Nothing in the evidence shows a fault.',
  });
});

test('whatever a log holds, the card is made of places that exist and lines that were printed', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      'Error: API_URL missing',
      '    at f (/srv/app/server.js:2:1)',
      '    at f (/srv/app/server.js:999:1)',
      '  File "/srv/app/server.js", line 3, in f',
      'listen EADDRINUSE: address already in use :::3000',
      "Cannot find module './nope'",
      'connect ECONNREFUSED 127.0.0.1:5432',
      'src/a.ts(3,4): error TS2304: Cannot find name',
      'panic: boom',
      '\u001b[31mfatal\u001b[0m',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const log = pieces.join('\n');
      const { diagnosis } = diagnose({ ...evidence, log }, service);
      const files = (diagnosis?.evidence ?? []).filter(({ file }) => file !== undefined);
      const wrong = files.filter(
        ({ file, line, text }) =>
          service
            .text(file ?? '')
            ?.split('\n')
            .at((line ?? 0) - 1)
            ?.trim() !== text,
      );
      expect(wrong).toEqual([]);
      // oxlint-disable-next-line no-control-regex
      expect(JSON.stringify(diagnosis)).not.toMatch(/\\u00(?:1b|00)/);
    }),
    { numRuns: 300 },
  );
}, 30_000);
