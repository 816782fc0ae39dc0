import { gateRuns, type Run } from '../domain/merge/gate-runs.ts';
import { type Executor, executionId } from '../ports/executor.ts';
import type { GateSettings } from '../ports/settings.ts';

/** A part of what several programs printed one after the other. */
export type LogPart = {
  readonly bytes: Uint8Array;
  readonly next: number;
  readonly skipped: number;
};

/** The executions of one verification, whatever phase its gates were chosen for. */
export function runsOf(verification: string, gates: readonly GateSettings[]): Run[] {
  const phases = ['landing', 'change', 'none'] as const;
  const every = phases.flatMap((left) =>
    gateRuns(
      verification,
      gates.filter(({ phase }) => phase !== left),
    ),
  );
  return [...new Map(every.map((run) => [run.id, run])).values()];
}

/**
 * Reads the outputs of executions as if they were one, each under a line that names it. Positions
 * stay good while the last one still runs.
 */
export async function readRuns(
  executor: Executor,
  runs: readonly Run[],
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<LogPart> {
  let start = 0;
  for (const { id, title } of runs) {
    const state = await executor.find(executionId(id));
    if (state.status === 'absent') continue;
    const name = new TextEncoder().encode(`── ${title} ──\n`);
    const from = start + name.length;
    if (after < from) return { bytes: name.subarray(after - start), next: from, skipped: 0 };
    const chunk = await executor.tail(executionId(id), after - from, limit);
    const next = from + chunk.next;
    if (chunk.bytes.length > 0) return { bytes: chunk.bytes, next, skipped: chunk.skipped };
    if (state.status === 'running') break;
    start = state.status === 'exited' ? from + state.output.bytes : next;
  }
  return { bytes: new Uint8Array(), next: after, skipped: 0 };
}
