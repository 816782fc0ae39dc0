import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';
import type { Attempt } from '../../src/domain/work/attempt.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { attemptsOf, liveAttempts } from '../../src/ledger/queries/attempts.ts';
import { executionId } from '../../src/ports/executor.ts';
import type { FakePlan } from '../fakes/acp-agent/step.ts';
import { type Answer, askOver, makeWorkspace, serve } from '../identity/rig.ts';
import { FAKE_AGENT } from './acp-rig.ts';

type World = {
  readonly root: string;
  ask(path: string, body?: object): Promise<Answer>;
  attempts(task: string): Promise<Attempt[]>;
  /** Asks again at every change of the ledger until there is an answer. */
  until<T>(look: () => Promise<T | null>): Promise<T>;
  plan(plan: FakePlan): void;
};

/** A daemon whose only agent is the fake one. */
async function openWorld(
  plan: FakePlan,
  permissions: string,
  more = '',
  repo = '',
): Promise<World> {
  const { root, env, ledger: place } = await makeWorkspace();
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@a.invalid', ...args], {
      cwd: root,
      encoding: 'utf8',
    });
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const planFile = join(root, '.convoy', 'plan.json');
  const write = (next: FakePlan): void => writeFileSync(planFile, JSON.stringify(next));
  write(plan);
  const command = JSON.stringify([process.execPath, FAKE_AGENT, planFile]);
  writeFileSync(
    join(root, '.convoy', 'config.toml'),
    `[workspace]\nattempts = 2\nbackoff = "1s"\n
[agents.fake]\nadapter = "acp"\ncommand = ${command}\npermissions = "${permissions}"\n${more}\n
[repos.main]\npath = "."\nprefix = "web"\ntarget = "main"\nagent = "fake"\nmerge_mode = "review-and-merge"\nreview = "none"\n${repo}\n`,
  );
  const daemon = await serve(root, env, undefined);
  if (!daemon.ok) throw new Error(daemon.error.message);
  const dir = join(root, '.convoy');
  const url = readDaemonFile(dir)?.url ?? '';
  const token = readFileSync(join(dir, 'token'), 'utf8').trim();
  const ledger = await openLedger(place, Date.now);
  onTestFinished(async () => {
    await daemon.value.stop();
    // Agents outlive the engine, also in a test that failed.
    const executor = localExecutor({ directory: join(dir, 'logs'), node: process.execPath });
    for (const { id } of await liveAttempts(ledger.db))
      await executor.stop(executionId(id), { graceMs: 500 });
    await ledger.close();
    rmSync(root, { recursive: true });
  });
  const limit = AbortSignal.timeout(50_000);
  return {
    root,
    plan: write,
    ask: (path, body) =>
      askOver(url, `/api/v1${path}`, {
        token,
        ...(body === undefined ? {} : { method: 'POST', body }),
      }),
    attempts: (task) => attemptsOf(ledger.db, task),
    async until(look) {
      for (;;) {
        const change = ledger.changes.next(limit);
        const found = await look();
        if (found !== null) return found;
        await change;
        limit.throwIfAborted();
      }
    },
  };
}

async function launch(world: World): Promise<string> {
  const { json } = await world.ask('/tasks', { title: 'Greet' });
  const launched = await world.ask('/launch', { targets: [json.task.id], force: true });
  expect(launched).toMatchObject({ status: 200 });
  return json.task.id;
}

const last = (world: World, task: string, status: string) => async () => {
  const attempt = (await world.attempts(task)).at(-1);
  return attempt?.status === status ? attempt : null;
};

const pending = (world: World) => async (): Promise<{ id: string; summary: string } | null> =>
  (await world.ask('/approvals')).json.approvals[0] ?? null;

test('a permission is asked of a person, and the work goes on with the answer', async () => {
  const world = await openWorld(
    {
      steps: [
        { do: 'ask', kind: 'edit', path: 'yes.txt' },
        { do: 'ask', kind: 'edit', path: 'no.txt' },
        { do: 'commit', message: 'Greet' },
      ],
    },
    'ask',
  );
  const question = { call: 'c', tool: 'edit', paths: [], summary: 'May I?' };
  const notMine = await world.ask('/worker/permission', question);
  expect(notMine.json.code).toBe('no_attempt');
  const task = await launch(world);
  const first = await world.until(pending(world));
  expect(first).toMatchObject({
    kind: 'permission',
    summary: `fake asks in ${task}: edit yes.txt`,
  });
  await world.ask(`/approvals/${first.id}/approve`, {});
  const second = await world.until(async () => {
    const next = await pending(world)();
    return next?.id === first.id ? null : next;
  });
  expect(second.summary).toContain('no.txt');
  await world.ask(`/approvals/${second.id}/reject`, { reason: 'not that' });
  const { branch, session } = await world.until(last(world, task, 'done'));
  const files = execFileSync('git', ['ls-tree', '--name-only', branch], {
    cwd: world.root,
    encoding: 'utf8',
  });
  expect(files.trim().split('\n')).toEqual(['yes.txt']);
  // Kept, so that a rework can take it up.
  expect(session).toMatch(/^fake-/);
});

const sessionsOf = (root: string): string => join(root, '.convoy', 'sessions.json');

test('a question dies with its attempt, is no silence, and the next attempt continues the session', async () => {
  const world = await openWorld({ steps: [] }, 'ask', 'silence = "3s"\ntimeout = "12s"');
  const sessions = sessionsOf(world.root);
  world.plan({ steps: [{ do: 'say', text: 'begun' }, { do: 'crash' }], sessions });
  const task = await launch(world);
  const failed = await world.until(last(world, task, 'failed'));
  expect(failed).toMatchObject({ session: expect.stringMatching(/^fake-/) });
  world.plan({ steps: [{ do: 'ask', kind: 'edit', path: 'late.txt' }], sessions });
  const question = await world.until(pending(world));
  const kept: unknown = JSON.parse(readFileSync(sessions, 'utf8'));
  expect(kept).toEqual({ [failed.session ?? '']: [expect.any(String), expect.any(String)] });
  const stopped = await world.until(last(world, task, 'stopped'));
  expect(stopped).toMatchObject({ reason: 'it ran longer than 12 s', session: failed.session });
  const { json } = await world.ask(`/approvals/${question.id}`);
  expect(json.approval).toMatchObject({
    subject: stopped.id,
    status: 'void',
    void_reason: 'the attempt is over',
  });
});

test('work that was sent back is taken up in the session it was done in', async () => {
  const gate = '[[repos.main.gates]]\nname = "clean"\nrun = ["test", "!", "-e", "bad.txt"]';
  const world = await openWorld({ steps: [] }, 'worktree', '', gate);
  const sessions = sessionsOf(world.root);
  const commit = { do: 'commit', message: 'Greet' } as const;
  world.plan({ steps: [{ do: 'write', path: 'bad.txt', content: 'x' }, commit], sessions });
  const task = await launch(world);
  const first = await world.until(last(world, task, 'done'));
  expect(first.session).toMatch(/^fake-/);
  world.plan({ steps: [{ do: 'say', text: 'I see' }], sessions });
  const second = await world.until(async () => {
    const attempts = await world.attempts(task);
    return attempts.length > 1 && attempts[1]?.endedAt !== null ? (attempts[1] ?? null) : null;
  });
  const kept: unknown = JSON.parse(readFileSync(sessions, 'utf8'));
  expect(kept).toEqual({ [first.session ?? '']: [expect.any(String), expect.any(String)] });
  expect(second.session).toBe(first.session);
});
