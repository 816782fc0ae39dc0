import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  DEFAULT_OUTPUT_BYTES,
  EXECUTION_MARKER,
  type ExecutionId,
  type ExecutionSpec,
  type Executor,
} from '../../ports/executor.ts';
import { endOf, findIn } from './find.ts';
import { readOutput } from './output.ts';
import { readPrepared, writeWhole } from './records.ts';
import { stopIn } from './stop.ts';
import { changesIn } from './watch.ts';
import { WRAPPER_SOURCE } from './wrapper-source.ts';

/**
 * Runs programs on this machine, each under `<directory>/<id>/`, detached, so that they and the
 * record of their end outlive us. `node` is the Node that runs the wrapper.
 */
export function localExecutor({ directory: given, node }: LocalSettings): Executor {
  // The wrapper works elsewhere, so a relative path would mean another place to it.
  const directory = resolve(given);
  const runOf = (id: ExecutionId): string => join(directory, id);
  return {
    async start(spec) {
      const run = runOf(spec.id);
      if ((await findIn(run)).status !== 'absent') return { id: spec.id, fresh: false };
      await mkdir(run, { recursive: true, mode: 0o700 });
      await writeWhole(join(run, 'spec.json'), prepared(spec));
      for (const { path, content } of spec.files ?? []) {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeWhole(path, content);
      }
      const said = await launchWrapper(node, await wrapperIn(directory), run, message(spec));
      return { id: spec.id, fresh: said !== 'taken' };
    },
    find: (id) => findIn(runOf(id)),
    stop: (id, { graceMs }) => stopIn(runOf(id), `${EXECUTION_MARKER}=${id}`, graceMs),
    tail: async (id, from, limit) => readOutput(runOf(id), await keptOf(runOf(id)), from, limit),
    follow: (id, from, signal) => follow(runOf(id), from, signal),
    exit: (id, signal) => endOf(runOf(id), signal),
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

const message = (spec: ExecutionSpec): string =>
  JSON.stringify({
    argv: spec.argv,
    cwd: spec.cwd,
    env: spec.env,
    stdin: spec.stdin,
    limits: { outputBytes: DEFAULT_OUTPUT_BYTES, ...spec.limits },
    marker: { name: EXECUTION_MARKER, value: spec.id },
  });

/** The wrapper's file, named after its content, so that versions of us can share a directory. */
async function wrapperIn(directory: string): Promise<string> {
  const digest = createHash('sha256').update(WRAPPER_SOURCE).digest('hex').slice(0, 12);
  const file = join(directory, `.wrapper-${digest}.cjs`);
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) await writeWhole(file, WRAPPER_SOURCE);
  return file;
}

type Said = 'running' | 'ended' | 'taken';

/** Resolves with the wrapper's first word, which it says after it has recorded what it did. */
async function launchWrapper(
  node: string,
  wrapper: string,
  run: string,
  text: string,
): Promise<Said> {
  const complaints = await open(join(run, 'wrapper.log'), 'a', 0o600);
  try {
    const child = spawn(node, [wrapper, run], {
      cwd: run,
      env: outerMark(),
      detached: true,
      stdio: ['pipe', 'pipe', complaints.fd],
    });
    const said = firstWord(child);
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
    const word = await said;
    child.unref();
    if (word === 'running' || word === 'ended' || word === 'taken') return word;
  } finally {
    await complaints.close();
  }
  const log = await readFile(join(run, 'wrapper.log'), 'utf8');
  throw new Error(`the execution's wrapper did not start: ${log.slice(-2000) || 'no output'}`);
}

/** When we ourselves run inside an execution, what we start ends with it. */
function outerMark(): Record<string, string> {
  const outer = process.env[EXECUTION_MARKER];
  return outer === undefined ? {} : { [EXECUTION_MARKER]: outer };
}

function firstWord(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((tell, reject) => {
    let text = '';
    child.on('error', reject);
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!text.includes('\n')) return;
      child.stdout?.destroy();
      tell(text.slice(0, text.indexOf('\n')));
    });
    child.stdout?.on('end', () => tell(text));
  });
}

async function keptOf(run: string): Promise<number> {
  return (await readPrepared(run))?.outputBytes ?? DEFAULT_OUTPUT_BYTES;
}

const LOOK_AGAIN_MS = 500;

async function* follow(run: string, from: number, signal: AbortSignal) {
  const kept = await keptOf(run);
  using changes = changesIn(run);
  for (let at = from; !signal.aborted;) {
    // Asked before reading: what an ended program wrote is all there.
    const { status } = await findIn(run);
    const chunk = await readOutput(run, kept, at);
    at = chunk.next;
    if (chunk.bytes.length > 0) yield chunk;
    else if (status === 'exited' || status === 'lost') return;
    else await changes.next(LOOK_AGAIN_MS, signal);
  }
}
