import { medianOf } from '../../src/lib/median.ts';

/** One line of JSON: what we took, what the bare thing took in the same run, and their ratio. */
export type Figure = {
  readonly name: string;
  readonly ours: number;
  readonly reference: number;
  readonly unit: string;
  readonly [detail: string]: unknown;
};

export function report(figure: Figure): void {
  const { name, ours, reference, unit, ...details } = figure;
  const ratio = reference === 0 ? null : round(ours / reference);
  console.log(
    JSON.stringify({
      name,
      ours: round(ours),
      reference: round(reference),
      ratio,
      unit,
      ...details,
    }),
  );
}

export const round = (value: number): number => Math.round(value * 100) / 100;

export const median = (values: readonly number[]): number => medianOf(values) ?? 0;

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Milliseconds that something took. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
