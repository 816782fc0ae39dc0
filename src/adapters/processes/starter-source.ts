/**
 * The program that starts others for us, as text: see starter.ts.
 *
 * Plain CommonJS on Node's own modules, so that it stays small, because a small process forks quickly.
 *
 * Both ways go frames: two lengths of four bytes, then that much JSON and that many bytes.
 * In: `{id, program, args, cwd, env, most}` with the program's input, or `{stop: id}`.
 * Out: one empty frame when it is ready, then for every id `{id, code, signal, full, stderr}` with the
 * program's output, or `{id, failed: {code, message}}`.
 * When its input ends it starts nothing more, lets what runs come to its end, and goes.
 */
export const STARTER_SOURCE = String.raw`'use strict';
const { spawn } = require('node:child_process');

process.title = 'convoy-starter';

for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});
process.stdout.on('error', () => {});

const STDERR_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);
const running = new Map();
let text = NOTHING;

process.stdin.on('data', (chunk) => {
  text = text.length === 0 ? chunk : Buffer.concat([text, chunk]);
  for (;;) {
    if (text.length < 8) return;
    const head = text.readUInt32LE(0);
    const end = 8 + head + text.readUInt32LE(4);
    if (text.length < end) return;
    const message = JSON.parse(text.toString('utf8', 8, 8 + head));
    const input = text.subarray(8 + head, end);
    text = text.subarray(end);
    if (message.stop === undefined) start(message, input);
    else kill(running.get(message.stop));
  }
});

function start({ id, program, args, cwd, env, most }, input) {
  let child;
  try {
    const stdin = input.length === 0 ? 'ignore' : 'pipe';
    child = spawn(program, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
  } catch (error) {
    return send({ id, failed: { code: error.code || 'UNKNOWN', message: error.message } }, NOTHING);
  }
  running.set(id, child);
  let full = false;
  const out = collect(child.stdout, most, () => {
    full = true;
    kill(child);
  });
  const complaints = collect(child.stderr, STDERR_BYTES, () => {});
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  child.on('error', (error) => {
    if (!running.delete(id)) return;
    send({ id, failed: { code: error.code || 'UNKNOWN', message: error.message } }, NOTHING);
  });
  child.on('close', (code, signal) => {
    if (!running.delete(id)) return;
    send({ id, code, signal, full, stderr: complaints().toString('utf8') }, out());
  });
}

function kill(child) {
  if (child === undefined || child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {}
}

function collect(stream, most, onFull) {
  const chunks = [];
  let size = 0;
  stream.on('data', (chunk) => {
    const room = most - size;
    if (room <= 0) return;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += Math.min(chunk.length, room);
    if (chunk.length > room) onFull();
  });
  return () => (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

function send(message, bytes) {
  const head = Buffer.from(JSON.stringify(message));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(bytes.length, 4);
  process.stdout.write(Buffer.concat([lengths, head, bytes]));
}

send({}, NOTHING);
`;
