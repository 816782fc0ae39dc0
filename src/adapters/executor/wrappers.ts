import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, open, readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EXECUTION_MARKER } from '../../ports/executor.ts';
import { writeWhole } from './records.ts';
import { WRAPPER_SOURCE } from './wrapper-source.ts';

export type WrapperSettings = { readonly directory: string; readonly node: string };

/** The wrapper's word after it has recorded what it did. */
export type Said = 'running' | 'ended' | 'taken';

/** Starts wrappers, and keeps a few that have begun and wait to be told what to run. */
export type Wrappers = {
  launch(run: string, message: Readonly<Record<string, unknown>>): Promise<Said>;
  /** Something ended, so something else is likely to start soon. */
  expectMore(): void;
  /** Whether the wrapper of this run is a child of ours that lives, whose end we are told. */
  isOurs(run: string): boolean;
  onEnd(run: string, tell: () => void): Disposable;
};

/**
 * Node takes longer to begin than everything else a start does. So while executions come and go, the
 * next wrappers begin ahead of time and wait for their message. It is the same program either way: one
 * without a message starts nothing, and one whose engine dies reads the end of its input and goes.
 */
const SPARES = 2;
/** A workspace that rests has no processes. */
const IDLE_MS = 5000;

export function wrappersIn({ directory, node }: WrapperSettings): Wrappers {
  const spares = sparesIn({ directory, node });
  const ours = new Map<string, Set<() => void>>();
  const followed = (run: string, { child }: Wrapper): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const waiting = new Set<() => void>();
    ours.set(run, waiting);
    child.once('exit', () => {
      ours.delete(run);
      for (const tell of waiting) tell();
    });
  };
  const launch: Wrappers['launch'] = async (run, message) => {
    const text = JSON.stringify({ ...message, dir: run });
    const spare = spares.take();
    const early = spare === undefined ? null : await spare.tell(text);
    if (spare !== undefined && early !== null) {
      followed(run, spare);
      return early;
    }
    // A spare that died may have claimed the run before: then this one finds it taken.
    return launchNow(node, await wrapperIn(directory), run, text, followed);
  };
  return {
    launch: async (run, message) => {
      const said = await launch(run, message);
      spares.refill();
      return said;
    },
    expectMore: spares.refill,
    isOurs: (run) => ours.has(run),
    onEnd: (run, tell) => {
      const waiting = ours.get(run);
      waiting?.add(tell);
      return { [Symbol.dispose]: () => void waiting?.delete(tell) };
    },
  };
}

type Spares = { take(): Wrapper | undefined; readonly refill: () => void };

function sparesIn({ directory, node }: WrapperSettings): Spares {
  const spares: Wrapper[] = [];
  let filling = false;
  let rest: NodeJS.Timeout | undefined;
  /** One after the other: they must not take the machine from what they are meant to hasten. */
  const fill = async (): Promise<void> => {
    const file = await wrapperIn(directory);
    while (spares.length < SPARES) {
      const spare = begin(node, [file], directory, 'ignore');
      spare.ref(false);
      if ((await spare.word()) !== 'ready') return;
      spare.child.once('exit', () => {
        const at = spares.indexOf(spare);
        if (at >= 0) spares.splice(at, 1);
      });
      spares.push(spare);
    }
  };
  return {
    take: () => spares.shift(),
    refill: () => {
      clearTimeout(rest);
      rest = setTimeout(() => {
        for (const spare of spares.splice(0)) spare.child.stdin?.end();
      }, IDLE_MS).unref();
      if (filling) return;
      filling = true;
      // Without spares a start takes longer, and says itself what is wrong.
      void fill()
        .catch(() => undefined)
        .finally(() => {
          filling = false;
        });
    },
  };
}

async function launchNow(
  node: string,
  file: string,
  run: string,
  text: string,
  followed: (run: string, wrapper: Wrapper) => void,
): Promise<Said> {
  const complaints = await open(join(run, 'wrapper.log'), 'a', 0o600);
  try {
    const wrapper = begin(node, [file, run], run, complaints.fd);
    const said = await wrapper.tell(text);
    if (said !== null) {
      followed(run, wrapper);
      return said;
    }
  } finally {
    await complaints.close();
  }
  const log = await readFile(join(run, 'wrapper.log'), 'utf8');
  throw new Error(`the execution's wrapper did not start: ${log.slice(-2000) || 'no output'}`);
}

type Wrapper = {
  readonly child: ChildProcess;
  /** Its next line; empty when there will be none. */
  word(): Promise<string>;
  /** Sends the message and lets it go; null when it said nothing that we know. */
  tell(text: string): Promise<Said | null>;
  /** Whether this process stays for its sake. */
  ref(stays: boolean): void;
};

function begin(node: string, args: string[], cwd: string, complaints: number | 'ignore'): Wrapper {
  const child = spawn(node, args, {
    cwd,
    env: outerMark(),
    detached: true,
    stdio: ['pipe', 'pipe', complaints],
  });
  child.stdin?.on('error', () => {});
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
  });
  failed.catch(() => {});
  const lines = createInterface({ input: child.stdout ?? new Socket() })[Symbol.asyncIterator]();
  const word = async (): Promise<string> => {
    const line = await Promise.race([lines.next(), failed]);
    return line.done === true ? '' : line.value;
  };
  const ref: Wrapper['ref'] = (stays) => {
    for (const each of [child, child.stdin, child.stdout]) {
      if (each !== child && !(each instanceof Socket)) continue;
      if (stays) each.ref();
      else each.unref();
    }
  };
  return {
    child,
    word,
    ref,
    tell: async (text) => {
      ref(true);
      child.stdin?.end(text);
      const said = await word();
      child.stdout?.destroy();
      child.unref();
      return said === 'running' || said === 'ended' || said === 'taken' ? said : null;
    },
  };
}

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

/** When we ourselves run inside an execution, what we start ends with it. */
function outerMark(): Record<string, string> {
  const outer = process.env[EXECUTION_MARKER];
  return outer === undefined ? {} : { [EXECUTION_MARKER]: outer };
}
