import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Launch, LaunchEnd } from '../../ports/launch.ts';

const STDERR_BYTES = 64 * 1024;

/** Starts the program as a child of this process. */
export const launchHere: Launch = (spec) => {
  const child = spawn(spec.program, spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    // Its own group, so that what it starts ends with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  };
  let full = false;
  const out = collect(child.stdout, spec.mostBytes, () => {
    full = true;
    kill();
  });
  const complaints = collect(child.stderr, STDERR_BYTES, () => undefined);
  // It may end before it has read everything; its exit says why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(spec.input);
  const end = new Promise<LaunchEnd>((resolve) => {
    child.on('error', (error) => {
      const code = 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN';
      resolve({ kind: 'not-started', code, message: error.message });
    });
    child.on('close', (code, signal) => {
      resolve({
        kind: 'ended',
        code,
        signal,
        stdout: out(),
        stderr: complaints().toString('utf8'),
        full,
      });
    });
  });
  return { end, kill };
};

function collect(stream: Readable, most: number, onFull: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    const room = most - size;
    if (room <= 0) return;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += Math.min(chunk.length, room);
    if (chunk.length > room) onFull();
  });
  return () => Buffer.concat(chunks);
}
