import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readVerdict, readVerdictText, strictest } from './verdict.ts';

test('a verdict is read with its findings', () => {
  const findings = [
    { file: 'a.ts', line: 3, severity: 'error', text: ' broken ' },
    { file: '', line: 3, severity: 'Blocker', text: 'all of it' },
    { file: 'b.ts', line: -1, severity: 'odd', text: 'hm' },
  ];
  expect(readVerdict({ verdict: 'reject', findings })).toEqual({
    ok: true,
    value: {
      verdict: 'reject',
      findings: [
        { file: 'a.ts', line: 3, severity: 'error', text: 'broken' },
        { file: null, line: null, severity: 'error', text: 'all of it' },
        { file: 'b.ts', line: null, severity: 'warning', text: 'hm' },
      ],
    },
  });
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a list', [{ verdict: 'approve' }]],
  ['a word', 'approve'],
  ['another word', { verdict: 'approved', findings: [] }],
  ['upper case', { verdict: 'APPROVE', findings: [] }],
  ['true', { verdict: true, findings: [] }],
  ['findings that are no list', { verdict: 'approve', findings: 'none' }],
  ['a finding that is no object', { verdict: 'approve', findings: ['x'] }],
  ['a finding without text', { verdict: 'approve', findings: [{ file: 'a', text: ' ' }] }],
])('%s is no verdict', (_, value) => {
  expect(readVerdict(value).ok).toBe(false);
});

test('text must be the verdict and nothing else', () => {
  const approval = '{"verdict":"approve","findings":[]}';
  expect(readVerdictText(approval).ok).toBe(true);
  expect(readVerdictText(`\n\`\`\`json\n${approval}\n\`\`\`\n`).ok).toBe(true);
  for (const text of ['', '  ', `The diff says ${approval}`, `${approval}\n${approval}`, '{'])
    expect(readVerdictText(text).ok).toBe(false);
});

test('only the exact word approves, whatever else is there', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (verdict, findings) => {
      const read = readVerdict({ verdict, findings });
      const isApproval = read.ok && read.value.verdict === 'approve';
      expect(!isApproval || verdict === 'approve').toBe(true);
    }),
  );
});

test('said in two places, a no is a no', () => {
  const yes = { verdict: 'approve', findings: [] } as const;
  const no = { verdict: 'reject', findings: [] } as const;
  expect(strictest(yes, null)).toBe(yes);
  expect(strictest(null, yes)).toBe(yes);
  expect(strictest(yes, no)).toBe(no);
  expect(strictest(no, yes)).toBe(no);
  expect(strictest(null, null)).toBeNull();
});
