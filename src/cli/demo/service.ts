import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Stop } from '../stop.ts';
import type { DemoPlace } from './place.ts';

/** What the landed service answered. */
export type ServiceAnswers = {
  readonly url: string;
  readonly health: number;
  readonly saved: { readonly status: number; readonly code: string };
  readonly visited: { readonly status: number; readonly location: string | null };
  readonly hits: number;
};

const ADDRESS = 'https://example.org/a/long/address?with=words';

/** Starts what has landed on a free port, saves an address, follows it, and ends the service. */
export async function tryService(place: DemoPlace): Promise<ServiceAnswers> {
  const child = spawn(process.execPath, ['--no-warnings', 'src/main.js'], {
    cwd: place.repository,
    env: { ...place.env, PORT: '0', DATA_FILE: join(place.data, 'links.db') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const url = `http://127.0.0.1:${await portOf(child)}`;
    const answers = await roundTrip(url);
    await ended(child);
    return answers;
  } finally {
    child.kill('SIGKILL');
  }
}

const START_MS = 10_000;

/** The service says its port on its first line. */
async function portOf(child: ChildProcess): Promise<number> {
  let said = '';
  child.stderr?.on('data', (chunk) => (said += String(chunk)));
  if (child.stdout === null) throw broken('It has no output.');
  const lines = createInterface({ input: child.stdout });
  const signal = AbortSignal.timeout(START_MS);
  const line = await Promise.race([
    once(lines, 'line', { signal }).then(([first]) => String(first)),
    once(child, 'exit', { signal }).then(() => null),
  ]).catch(() => null);
  const port = /"listening":(\d+)/.exec(line ?? '')?.[1];
  if (port === undefined) throw broken(said.trim() || `It said ${line ?? 'nothing'}.`);
  return Number(port);
}

async function roundTrip(url: string): Promise<ServiceAnswers> {
  const health = await fetch(`${url}/health`);
  await health.text();
  const body = JSON.stringify({ url: ADDRESS });
  const saved = await fetch(`${url}/links`, { method: 'POST', body });
  const { code } = await objectOf(saved);
  const visited = await fetch(`${url}/${String(code)}`, { redirect: 'manual' });
  await visited.text();
  const { hits } = await objectOf(await fetch(`${url}/links/${String(code)}/stats`));
  const location = visited.headers.get('location');
  const answers = {
    url,
    health: health.status,
    saved: { status: saved.status, code: String(code) },
    visited: { status: visited.status, location },
    hits: Number(hits),
  };
  const isRight =
    health.status === 200 &&
    saved.status === 201 &&
    visited.status === 302 &&
    location === ADDRESS &&
    hits === 1;
  if (!isRight) throw broken(`It answered ${JSON.stringify(answers)}.`);
  return answers;
}

async function objectOf(answer: Response): Promise<Record<string, unknown>> {
  const body: unknown = await answer.json();
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

const END_MS = 12_000;

/** It learned to end cleanly in this very convoy. */
async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit', { signal: AbortSignal.timeout(END_MS) }).catch(() => [
    'nothing',
  ]);
  child.kill('SIGTERM');
  const [code] = await exit;
  if (code !== 0) throw broken(`On SIGTERM it ended with ${String(code)}.`);
}

const broken = (cause: string): Stop =>
  new Stop({
    kind: 'refused',
    code: 'demo_service',
    message: 'The landed service does not work.',
    cause,
    remedy: 'Look at it with: convoy demo --exit --keep',
  });
