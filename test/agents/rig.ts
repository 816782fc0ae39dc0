import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { attemptId, convoyId, taskId } from '../../src/domain/work/ids.ts';
import type {
  Agent,
  AgentEvent,
  Assignment,
  AttemptEnd,
  Transcript,
} from '../../src/ports/agent.ts';
import {
  executionId,
  type Ended,
  type ExecutionId,
  type Executor,
} from '../../src/ports/executor.ts';

/** A repository with one commit, a place for papers and an executor: what an attempt needs. */
export type AgentRig = {
  readonly place: string;
  readonly worktree: string;
  readonly executor: Executor;
  readonly assignment: (more?: Partial<Assignment>) => Assignment;
  readonly start: (agent: Agent, assignment: Assignment) => Promise<void>;
  readonly finish: (agent: Agent, assignment: Assignment) => Promise<Finished>;
  readonly git: (...args: string[]) => Promise<string>;
  readonly close: () => Promise<void>;
};

export type Finished = {
  readonly end: Ended;
  readonly events: AgentEvent[];
  readonly transcript: Transcript;
  readonly judged: AttemptEnd;
  readonly output: string;
};

const run = promisify(execFile);

export const idOf = (assignment: Assignment): ExecutionId => executionId(assignment.attempt);

export async function openAgentRig(parent: string = tmpdir()): Promise<AgentRig> {
  const place = await mkdtemp(join(parent, 'convoy-agent-'));
  const worktree = join(place, 'worktree');
  await mkdir(worktree);
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: worktree })).stdout.trim();
  await git('init', '-q', '-b', 'main');
  await writeFile(join(worktree, 'README.md'), 'hello\n');
  await git('add', '-A');
  await git('-c', 'user.name=T', '-c', 'user.email=t@t.invalid', 'commit', '-q', '-m', 'first');
  const executor = localExecutor({ directory: join(place, 'runs'), node: process.execPath });
  return {
    place,
    worktree,
    executor,
    git,
    assignment: (more = {}) => assignmentIn(place, worktree, more),
    async start(agent, assignment) {
      const launch = agent.prepare(assignment);
      if (!launch.ok) throw new Error(launch.error.message);
      await executor.start({ id: idOf(assignment), ...launch.value });
    },
    finish: (agent, assignment) => finish(agent, executor, idOf(assignment)),
    close: () => rm(place, { recursive: true }),
  };
}

function assignmentIn(place: string, worktree: string, more: Partial<Assignment>): Assignment {
  const attempt = more.attempt ?? attemptId(`at-${Math.random().toString(36).slice(2)}`);
  return {
    attempt,
    number: 1,
    task: { id: taskId('web-1'), title: 'Greet', type: 'task' },
    convoy: convoyId('cv-1'),
    role: 'worker',
    prompt: 'Create greet.ts with a greet function.',
    worktree,
    branch: 'main',
    base: 'HEAD',
    directory: join(place, 'papers', attempt),
    access: { url: 'http://127.0.0.1:9', token: 'tok-attempt' },
    environment: {
      base: { PATH: process.env['PATH'], HOME: place, LANG: 'C.UTF-8', TERM: 'dumb' },
      allow: [],
      convoyRoot: join(import.meta.dirname, '..', '..'),
    },
    ...more,
  };
}

async function finish(agent: Agent, executor: Executor, id: ExecutionId): Promise<Finished> {
  const parser = agent.parser();
  const events: AgentEvent[] = [];
  const parts: Uint8Array[] = [];
  for await (const chunk of executor.follow(id, 0, AbortSignal.timeout(100_000))) {
    if (chunk.skipped > 0) events.push(...parser.skip(chunk.skipped));
    for (const event of parser.push(chunk.bytes)) events.push(event);
    parts.push(chunk.bytes);
  }
  events.push(...parser.end());
  const end = await executor.exit(id, AbortSignal.timeout(10_000));
  const transcript = parser.transcript();
  const output = Buffer.concat(parts).toString();
  return { end, events, transcript, judged: agent.judge(end, transcript), output };
}
