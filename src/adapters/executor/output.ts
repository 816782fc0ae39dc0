import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputChunk } from '../../ports/executor.ts';

const MOST_AT_ONCE = 1024 * 1024;

/** Reads the kept output from a position; what was dropped in between is skipped and counted. */
export async function readOutput(
  run: string,
  outputBytes: number,
  from: number,
  limit: number = MOST_AT_ONCE,
): Promise<OutputChunk> {
  for (const part of await partsFrom(run, outputBytes, from)) {
    const at = Math.max(from, part.begin);
    const bytes = await readPart(join(run, part.file), at - part.begin, Math.min(limit, part.size));
    if (bytes.length > 0) return { bytes, from: at, next: at + bytes.length, skipped: at - from };
  }
  return { bytes: new Uint8Array(0), from, next: from, skipped: 0 };
}

type Part = { file: string; begin: number; size: number };

/** The files that can hold a byte at or after `from`, in order. The wrapper cuts them the same way. */
async function partsFrom(run: string, outputBytes: number, from: number): Promise<Part[]> {
  const head = Math.floor(outputBytes / 2);
  const size = Math.max(1, Math.floor(outputBytes / 4));
  const tails = (await readdir(run).catch(() => []))
    .flatMap((file) => /^tail\.(\d+)\.log$/.exec(file)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((n) => ({ file: `tail.${n}.log`, begin: head + n * size, size }));
  return [{ file: 'out.log', begin: 0, size: head }, ...tails].filter(
    (part) => part.begin + part.size > from,
  );
}

async function readPart(file: string, at: number, length: number): Promise<Uint8Array> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch {
    // Turned over by the wrapper a moment ago: as good as dropped.
    return new Uint8Array(0);
  }
  try {
    const left = Math.max(0, (await handle.stat()).size - at);
    const buffer = new Uint8Array(Math.min(length, left, MOST_AT_ONCE));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
