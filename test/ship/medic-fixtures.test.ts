import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openRepositoryReader } from '../../src/adapters/medic/repository-reader.ts';
import { createRuleMedic } from '../../src/adapters/medic/rule-medic.ts';
import { plain } from '../../src/domain/ship/medic/log-lines.ts';
import type { Diagnosis, Evidence, Reference, Verdict } from '../../src/ports/medic.ts';

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
  expect(right).toBeGreaterThanOrEqual(LEAST_RIGHT);
});

test.each([
  ['missing module', 'node-missing-package-cjs'],
  ['port in use', 'node-port-in-use'],
  ['missing variable', 'node-env-guard'],
  ['database refused', 'node-postgres-down'],
  ['out of memory', 'node-heap'],
  ['script missing', 'npm-missing-script'],
  ['TypeScript error', 'ts-type-error'],
  ['port mismatch', 'node-port-mismatch'],
  ['health 404', 'node-health-404'],
  ['timeout', 'node-never-listens'],
  ['permission', 'node-script-permission'],
  ['wrong Node version', 'npm-engine'],
  ['pip resolution', 'py-pip-resolution'],
  ['panic with a place', 'go-panic'],
  ['5xx burst', 'node-error-burst'],
])('DC-66: %s is told with its place and owner', (_kind, name) => {
  const one = faults.find((fault) => fault.name === name);
  expect(one && complaints(one)).toEqual([]);
});

test('DC-66: where nothing is broken the medic abstains and says so', () => {
  const talked = peaceful
    .filter(({ verdict }) => verdict.diagnosis !== null)
    .map(({ name }) => name);
  expect(peaceful.length).toBeGreaterThanOrEqual(6);
  process.stdout.write(
    `medic: ${peaceful.length - talked.length} of ${peaceful.length} abstained ${talked.join()}\n`,
  );
  expect(1 - talked.length / peaceful.length).toBeGreaterThanOrEqual(LEAST_ABSTAINED);
  const silent = peaceful.filter(
    ({ verdict }) => verdict.diagnosis === null && verdict.reason === '',
  );
  expect(silent).toEqual([]);
});

test.each(faults.map((one) => [one.name, one] as const))(
  '%s: every reference exists and every quoted log line is in the log',
  (_name, one) => {
    const diagnosis = one.verdict.diagnosis as Diagnosis;
    expect(diagnosis.evidence.length).toBeGreaterThan(0);
    const unfounded = diagnosis.evidence.filter((reference) => !exists(one, reference));
    expect(unfounded).toEqual([]);
  },
);

test('a diagnosis is a matter of milliseconds', () => {
  const slowest = Math.max(...cases.map(({ ms }) => ms));
  expect(slowest).toBeLessThan(5000);
});

/** A quoted line of a file is really there; a quoted line without a file is in the log or was measured. */
function exists({ name, evidence }: Case, { file, line, text }: Reference): boolean {
  const measured = /^(?:probe |p50 |exit |no output)/;
  if (file === undefined)
    return measured.test(text) || plain(evidence.log).includes(text) || text.includes('[redacted]');
  const lines = readFileSync(join(FIXTURES, name, 'repo', file), 'utf8').split('\n');
  return lines[(line ?? 0) - 1]?.trim().startsWith(text.slice(0, 20)) ?? false;
}

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
