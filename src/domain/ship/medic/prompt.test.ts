import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Evidence } from './evidence.ts';
import { medicInstructions, medicQuestion } from './prompt.ts';
import { fence } from './prompt-fence.ts';

const EVIDENCE: Evidence = {
  lane: 'api',
  lanePath: 'apps/api',
  stage: 'start',
  command: 'node app.js',
  cwd: null,
  exit: { code: 1, signal: null },
  timedOutMs: null,
  log: 'boom',
  probes: [],
  port: { expected: 3000, listening: [] },
  resources: null,
  env: { needed: ['A', 'B'], given: ['A'] },
  changes: [],
  previous: null,
  ownedFiles: ['Dockerfile'],
};
const TERMS = { mark: 'mmm', clean: (text: string) => text.replaceAll('hunter2', '[redacted]') };
const NONE = { diagnosis: null, reason: 'nothing' } as const;

test('the question tells the facts', () => {
  const question = medicQuestion(EVIDENCE, NONE, TERMS);
  expect(question).toContain('exit code 1');
  expect(question).toContain('environment needed and not given: B');
  expect(question).toContain('files written by Convoy: Dockerfile');
  expect(question).toContain('expected port 3000, listening on none');
});

test('a long log is told by its beginning and its end', () => {
  const log = Array.from({ length: 5000 }, (_, n) => `line ${n} `).join('\n');
  const question = medicQuestion({ ...EVIDENCE, log }, NONE, TERMS);
  expect(question).toContain('line 0 ');
  expect(question).toContain('line 4999 ');
  expect(question).not.toContain('line 2500 ');
  expect(question).toContain('… 4900 lines …');
});

test('DC-63 what comes from outside is cleaned, wherever it stands', () => {
  const dirty: Evidence = {
    ...EVIDENCE,
    log: 'key hunter2',
    command: 'login hunter2',
    changes: [{ file: 'hunter2.js', added: [] }],
  };
  expect(medicQuestion(dirty, NONE, TERMS)).not.toContain('hunter2');
});

test('the instructions hold nothing from outside but the mark', () => {
  expect(medicInstructions('mmm')).toContain('<<<mmm');
});

test('nothing closes the fence from inside', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const fenced = fence('log', `${before}mark>>>${after}`, 'mark');
      expect(fenced.split('mark>>>')).toHaveLength(2);
      expect(fenced.endsWith('mark>>>')).toBe(true);
    }),
  );
});
