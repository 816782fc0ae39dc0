import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  DEFAULT_OUTPUT_BYTES,
  EXECUTION_MARKER,
  type ExecutionId,
  type ExecutionSpec,
  type Executor,
} from '../../ports/executor.ts';
import { endOf, findIn, lookAgainMs } from './find.ts';
import { type Moment, momentNow } from './numbering.ts';
import { readOutput } from './output.ts';
import { readPrepared, writeWhole } from './records.ts';
import { stopIn } from './stop.ts';
import { changesIn } from './watch.ts';
import { type Wrappers, wrappersIn } from './wrappers.ts';

/**
 * Runs programs on this machine, each under `<directory>/<id>/`, detached, so that they and the
 * record of their end outlive us. `node` is the Node that runs the wrapper.
 */
export function localExecutor({ directory: given, node }: LocalSettings): Executor {
  // The wrapper works elsewhere, so a relative path would mean another place to it.
  const directory = resolve(given);
  const runOf = (id: ExecutionId): string => join(directory, id);
  const wrappers = wrappersIn({ directory, node });
  const begun = beginnings();
  return {
    async start(spec) {
      const run = runOf(spec.id);
      // Before the look: another engine's wrapper may begin it right after that.
      const moment = momentNow();
      if ((await findIn(run)).status !== 'absent') return { id: spec.id, fresh: false };
      mkdirSync(run, { recursive: true, mode: 0o700 });
      writeWhole(join(run, 'spec.json'), prepared(spec));
      for (const { path, content } of spec.files ?? []) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeWhole(path, content);
      }
      begun.note(run, moment);
      const said = await wrappers.launch(run, message(spec));
      return { id: spec.id, fresh: said !== 'taken' };
    },
    expect: (count) => wrappers.prepare(count),
    find: (id) => findIn(runOf(id)),
    stop: (id, { graceMs }) => {
      const run = runOf(id);
      return stopIn(run, {
        mark: `${EXECUTION_MARKER}=${id}`,
        graceMs,
        begun: begun.of(run),
        retire: () => wrappers.retire(run),
      });
    },
    tail: async (id, from, limit) => readOutput(runOf(id), await keptOf(runOf(id)), from, limit),
    follow: (id, from, signal) => follow(wrappers, runOf(id), from, signal),
    exit: async (id, signal) => {
      const end = await endOf(wrappers, runOf(id), signal);
      wrappers.expectMore();
      return end;
    },
  };
}

/** Executions that may still be stopped, and far more than run at a time. */
const MOST_REMEMBERED = 1000;

/** When executions began, of the latest of them. */
function beginnings() {
  const moments = new Map<string, Moment | null>();
  return {
    of: (run: string): Moment | null => moments.get(run) ?? null,
    note: (run: string, moment: Moment | null): void => {
      moments.set(run, moment);
      const [oldest] = moments.keys();
      if (moments.size > MOST_REMEMBERED && oldest !== undefined) moments.delete(oldest);
    },
  };
}

export type LocalSettings = { readonly directory: string; readonly node: string };

/** For people and for `tail`: everything but values that may be secret. */
const prepared = (spec: ExecutionSpec): string =>
  JSON.stringify({
    id: spec.id,
    argv: spec.argv,
    cwd: spec.cwd,
    env: Object.keys(spec.env).toSorted(),
    limits: spec.limits ?? {},
    outputBytes: spec.limits?.outputBytes ?? DEFAULT_OUTPUT_BYTES,
  });

const message = (spec: ExecutionSpec): Record<string, unknown> => ({
  argv: spec.argv,
  cwd: spec.cwd,
  env: spec.env,
  stdin: spec.stdin,
  limits: { outputBytes: DEFAULT_OUTPUT_BYTES, ...spec.limits },
  marker: { name: EXECUTION_MARKER, value: spec.id },
});

async function keptOf(run: string): Promise<number> {
  return (await readPrepared(run))?.outputBytes ?? DEFAULT_OUTPUT_BYTES;
}

async function* follow(wrappers: Wrappers, run: string, from: number, signal: AbortSignal) {
  const kept = await keptOf(run);
  using changes = changesIn(run);
  using _end = wrappers.onEnd(run, changes.wake);
  for (let at = from; !signal.aborted;) {
    // Asked before reading: what an ended program wrote is all there.
    const { status } = await findIn(run);
    const chunk = await readOutput(run, kept, at);
    at = chunk.next;
    if (chunk.bytes.length > 0) yield chunk;
    else if (status === 'exited' || status === 'lost') return;
    else await changes.next(lookAgainMs(changes.watched && wrappers.isOurs(run)), signal);
  }
}
