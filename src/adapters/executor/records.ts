import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** What an execution leaves on disk, read back with distrust: the program could have written there. */
const identity = z.object({ pid: z.int().positive(), start: z.string() });
export type Identity = z.infer<typeof identity>;

const claim = z.discriminatedUnion('by', [
  z.object({ by: z.literal('wrapper'), ...identity.shape }),
  z.object({ by: z.literal('stopper') }),
]);

const pids = z.object({ wrapper: identity, program: identity, startedAt: z.number() });

const exit = z.object({
  how: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('code'), code: z.int() }),
    z.object({ kind: z.literal('signal'), signal: z.string() }),
    z.object({ kind: z.literal('not-started'), code: z.string(), message: z.string() }),
  ]),
  at: z.number(),
  output: z.object({ bytes: z.int().min(0), dropped: z.int().min(0) }),
});
export type ExitRecord = z.infer<typeof exit>;

const prepared = z.object({ outputBytes: z.int().positive() });

export const readClaim = (run: string) => read(join(run, 'claim.json'), claim);
export const readPids = (run: string) => read(join(run, 'pid.json'), pids);
export const readExit = (run: string) => read(join(run, 'exit.json'), exit);
export const readPrepared = (run: string) => read(join(run, 'spec.json'), prepared);

/**
 * Writes a whole file or nothing: readers never see half of it. These files are small, so they are written
 * and read without waiting: a turn of the event loop takes longer than they do.
 */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}.tmp`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

async function read<T extends z.ZodType>(file: string, schema: T): Promise<z.infer<T> | null> {
  const text = textOf(file);
  if (text === null) return null;
  const { success, data } = schema.safeParse(parsed(text));
  return success ? data : null;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
