import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openRepositoryReader } from '../../src/adapters/medic/repository-reader.ts';
import { createRuleMedic } from '../../src/adapters/medic/rule-medic.ts';
import type { Diagnosis, Evidence, Verdict } from '../../src/ports/medic.ts';

const FIXTURES = resolve('test/fixtures/medic');
const LEAST_RIGHT = 0.95;
const LEAST_ABSTAINED = 0.95;

type Expected =
  | { abstain: true }
  | {
      abstain?: false;
      /** Words that the sentence must hold. */
      rootCause: string[];
      classification: string;
      owned: string;
      file?: string;
      line?: number;
    };
type Case = { name: string; evidence: Evidence; expected: Expected; verdict: Verdict; ms: number };

const cases: Case[] = await Promise.all(
  readdirSync(FIXTURES)
    .toSorted()
    .map(async (name) => {
      const folder = join(FIXTURES, name);
      const evidence = json(join(folder, 'evidence.json')) as Evidence;
      const expected = json(join(folder, 'expected.json')) as Expected;
      const began = performance.now();
      const medic = createRuleMedic(await openRepositoryReader(join(folder, 'repo')));
      const verdict = await medic.diagnose(evidence);
      return { name, evidence, expected, verdict, ms: performance.now() - began };
    }),
);
const faults = cases.filter(({ expected }) => expected.abstain !== true);
const peaceful = cases.filter(({ expected }) => expected.abstain === true);

test('DC-66: without a model the medic names the root cause of at least 95 % of the broken services', () => {
  const wrong = faults.flatMap((one) => complaints(one).map((text) => `${one.name}: ${text}`));
  const wrongNames = new Set(wrong.map((text) => text.split(':')[0]));
  const right = (faults.length - wrongNames.size) / faults.length;
  process.stdout.write(
    `medic: ${faults.length - wrongNames.size} of ${faults.length} right\n${wrong.join('\n')}\n`,
  );
  expect(faults.length).toBeGreaterThanOrEqual(48);
  expect(right, wrong.join('\n')).toBeGreaterThanOrEqual(LEAST_RIGHT);
});

test('DC-66: where nothing is broken the medic abstains and says so', () => {
  const talked = peaceful
    .filter(({ verdict }) => verdict.diagnosis !== null)
    .map(({ name }) => name);
  expect(peaceful.length).toBeGreaterThanOrEqual(6);
  expect(1 - talked.length / peaceful.length, talked.join()).toBeGreaterThanOrEqual(
    LEAST_ABSTAINED,
  );
  for (const { verdict } of peaceful)
    if (verdict.diagnosis === null) expect(verdict.reason).not.toBe('');
});

test.each(faults.map((one) => [one.name, one] as const))(
  '%s: every reference exists and every quoted log line is in the log',
  (_name, one) => {
    const diagnosis = one.verdict.diagnosis as Diagnosis;
    expect(diagnosis.evidence.length).toBeGreaterThan(0);
    for (const reference of diagnosis.evidence)
      if (reference.file !== undefined) {
        const lines = readFileSync(join(FIXTURES, one.name, 'repo', reference.file), 'utf8').split(
          '\n',
        );
        expect(lines[(reference.line ?? 0) - 1]?.trim()).toContain(reference.text.slice(0, 20));
      }
    const said = diagnosis.evidence.filter(({ file }) => file === undefined);
    const measured = /^(?:probe |p50 |exit |no output)/;
    for (const { text } of said)
      expect(
        measured.test(text) || one.evidence.log.includes(text) || text.includes('[redacted]'),
      ).toBe(true);
  },
);

test('a diagnosis is a matter of milliseconds', () => {
  const slowest = Math.max(...cases.map(({ ms }) => ms));
  expect(slowest).toBeLessThan(5000);
});

function complaints({ expected, verdict }: Case): string[] {
  if (expected.abstain === true) return [];
  const { diagnosis } = verdict;
  if (diagnosis === null) return ['abstained'];
  const got = ` (${verdict.rule}: ${diagnosis.rootCause})`;
  const absent = expected.rootCause.filter((word) => !diagnosis.rootCause.includes(word));
  const places = diagnosis.evidence.filter(({ file }) => file === expected.file);
  return [
    ...(absent.length > 0 ? [`does not say ${absent.join(', ')}${got}`] : []),
    ...(diagnosis.classification === expected.classification
      ? []
      : [`is ${diagnosis.classification}, not ${expected.classification}${got}`]),
    ...(diagnosis.owned === expected.owned ? [] : [`owned by ${diagnosis.owned}${got}`]),
    ...(expected.file !== undefined && places.length === 0
      ? [`does not point at ${expected.file}${got}`]
      : []),
    ...(expected.line !== undefined && !places.some(({ line }) => line === expected.line)
      ? [`does not point at line ${expected.line}${got}`]
      : []),
  ];
}

function json(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
