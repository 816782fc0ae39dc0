import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { laneJson } from '../../src/domain/ship/scan/lane-json.ts';
import type { ScanResult } from '../../src/domain/ship/scan/lane.ts';

/** A repository written for the scanner and what a person concluded about it beforehand. */
export interface Fixture {
  readonly name: string;
  readonly directory: string;
  readonly expected: Expected;
}

interface Expected {
  readonly deployable: boolean;
  readonly what?: string;
  readonly risks?: readonly string[];
  readonly monorepo?: readonly string[];
  readonly lanes: readonly Readonly<Record<string, unknown>>[];
}

export interface Mismatch {
  readonly fixture: string;
  readonly field: string;
  readonly expected: unknown;
  readonly found: unknown;
}

const CORPUS = resolve(import.meta.dirname, '../fixtures/scan');

export function corpus(): readonly Fixture[] {
  return readdirSync(CORPUS)
    .filter((file) => file.endsWith('.expected.json'))
    .map((file) => {
      const name = file.replace('.expected.json', '');
      const expected: Expected = JSON.parse(readFileSync(join(CORPUS, file), 'utf8'));
      return { name, directory: join(CORPUS, name), expected };
    });
}

/** Compares field by field; every expected field counts once. */
export function compare(
  { name, expected }: Fixture,
  result: ScanResult,
): { fields: number; wrong: readonly Mismatch[] } {
  const checks: [string, unknown, unknown][] = [
    ['deployable', expected.deployable, result.deployable],
    ['lanes', expected.lanes.length, result.lanes.length],
  ];
  if (expected.what !== undefined)
    checks.push(['what', true, result.passed.some(({ what }) => what === expected.what)]);
  if (expected.monorepo !== undefined)
    // The order of the tools says nothing.
    checks.push(['monorepo', expected.monorepo.toSorted(), result.monorepo.toSorted()]);
  for (const code of expected.risks ?? [])
    checks.push([`risk ${code}`, true, result.risks.some((risk) => risk.code === code)]);
  for (const [index, lane] of expected.lanes.entries()) {
    const found = result.lanes[index];
    const shown: Readonly<Record<string, unknown>> = found === undefined ? {} : laneJson(found);
    for (const [field, value] of Object.entries(lane))
      checks.push([`lanes[${index}].${field}`, value, shown[field]]);
  }
  const wrong = checks
    .filter(([, wanted, found]) => !isDeepStrictEqual(wanted, found))
    .map(([field, wanted, found]) => ({ fixture: name, field, expected: wanted, found }));
  return { fields: checks.length, wrong };
}
