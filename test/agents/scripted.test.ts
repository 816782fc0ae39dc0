import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseScript } from '../../src/adapters/agents/scripted/script.ts';
import { scriptedAgent } from '../../src/adapters/agents/scripted/scripted-agent.ts';
import { startOf } from '../../src/adapters/executor/process-table.ts';
import type { Agent, Assignment } from '../../src/ports/agent.ts';
import { type AgentRig, idOf, openAgentRig } from './rig.ts';

let rig: AgentRig;
beforeEach(async () => {
  rig = await openAgentRig();
});
afterEach(() => rig.close());

function playing(steps: object[], done: [string, ...string[]] = ['true']): Agent {
  const script = parseScript(JSON.stringify({ scripts: [{ steps }] }));
  if (!script.ok) throw new Error(JSON.stringify(script.error));
  return scriptedAgent({ name: 'scripted', script: script.value, node: process.execPath, done });
}

async function play(steps: object[], more: Partial<Assignment> = {}) {
  const agent = playing(steps);
  const assignment = rig.assignment(more);
  await rig.start(agent, assignment);
  return rig.finish(agent, assignment);
}

const read = (file: string): Promise<string> => readFile(join(rig.worktree, file), 'utf8');

test('it writes, appends, edits, deletes and commits in its worktree', async () => {
  const { judged, transcript } = await play([
    { do: 'write', path: 'src/{task_id}.ts', content: 'one two one' },
    { do: 'append', path: 'src/{task_id}.ts', content: '\nthree' },
    { do: 'edit', path: 'src/{task_id}.ts', find: 'one', replace: 'ONE' },
    { do: 'delete', path: 'README.md' },
    { do: 'say', text: 'half way' },
    { do: 'usage', input: 10, output: 5, costUsd: 0.25 },
    { do: 'commit', message: 'Greet in attempt {attempt}' },
  ]);
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
  expect(await read('src/web-1.ts')).toBe('ONE two ONE\nthree');
  expect(await rig.git('log', '--format=%s', '-1')).toBe('Greet in attempt 1');
  expect(await rig.git('show', '--format=', '--name-status', 'HEAD')).toBe(
    'D\tREADME.md\nA\tsrc/web-1.ts',
  );
  expect(await rig.git('status', '--porcelain')).toBe('');
  expect(transcript).toMatchObject({
    lastMessage: 'half way',
    toolCalls: 7,
    tokens: { input: 10, output: 5 },
    costUsd: 0.25,
  });
});

test('a crash has its exit code or signal, and what was written before stays', async () => {
  const crashed = await play([
    { do: 'write', path: 'a', content: 'x' },
    { do: 'crash', code: 17 },
    { do: 'write', path: 'b', content: 'x' },
  ]);
  expect(crashed.judged).toMatchObject({ kind: 'failed', reason: 'exit', message: 'exit 17' });
  expect(existsSync(join(rig.worktree, 'a'))).toBe(true);
  expect(existsSync(join(rig.worktree, 'b'))).toBe(false);
  const killed = await play([{ do: 'crash', signal: 'SIGKILL' }]);
  expect(killed.judged).toMatchObject({ kind: 'failed', reason: 'signal' });
  const later = await play([{ do: 'crash', code: 75 }]);
  expect(later.judged).toMatchObject({ kind: 'later' });
});

test('a lie ends well and changes nothing', async () => {
  const { judged, transcript } = await play([{ do: 'lie', text: 'All done!' }]);
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
  expect(transcript.lastMessage).toBe('All done!');
  expect(await rig.git('status', '--porcelain')).toBe('');
  expect(await rig.git('rev-list', '--count', 'HEAD')).toBe('1');
});

test('it can write outside its worktree, because an agent can', async () => {
  await play([{ do: 'write-outside', path: '../outside.txt', content: 'x' }]);
  expect(await readFile(join(rig.place, 'outside.txt'), 'utf8')).toBe('x');
});

test('a step that cannot be done is the reason of the failure', async () => {
  const { judged } = await play([
    { do: 'edit', path: 'README.md', find: 'not there', replace: 'x' },
  ]);
  expect(judged).toEqual({
    kind: 'failed',
    reason: 'agent-error',
    message: 'step 1: the text to replace is not in README.md',
    transient: false,
  });
});

test('one that hangs, ignores the signal and has forked strays is stopped without a rest', async () => {
  const agent = playing([
    { do: 'fork', count: 2, escape: true, ignoreTerm: true, ms: 60_000 },
    { do: 'fork', count: 1, ms: 60_000 },
    { do: 'print', text: 'HANGING\n' },
    { do: 'hang', ignoreTerm: true },
  ]);
  const assignment = rig.assignment();
  await rig.start(agent, assignment);
  let seen = '';
  for await (const { bytes } of rig.executor.follow(
    idOf(assignment),
    0,
    AbortSignal.timeout(20_000),
  )) {
    seen += Buffer.from(bytes).toString();
    if (seen.includes('HANGING')) break;
  }
  const pids = [...seen.matchAll(/"forked","pid":(\d+)/g)].map(([, pid]) => Number(pid));
  expect(pids).toHaveLength(3);
  const stopped = await rig.executor.stop(idOf(assignment), { graceMs: 100 });
  expect(stopped).toMatchObject({ state: { status: 'exited' }, left: 0 });
  for (const pid of pids) expect(await startOf(pid)).toBeNull();
});

test('a flood is cut in the middle and the attempt still ends well', async () => {
  const { end, judged } = await play([{ do: 'flood', bytes: 70_000_000 }]);
  expect(end).toMatchObject({ status: 'exited', how: { kind: 'code', code: 0 } });
  const dropped = end.status === 'exited' ? end.output.dropped : 0;
  // 64 MB are kept at most, so some 3 MB at least are not.
  expect(dropped).toBeGreaterThan(70_000_000 - 64 * 1024 * 1024);
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
});

test('it calls done with the means it was given', async () => {
  const told = join(rig.place, 'told');
  const agent = playing(
    [{ do: 'done', noCode: true, reason: 'only words' }],
    ['/bin/sh', '-c', `printf '%s|' "$CONVOY_TOKEN" "$@" > '${told}'`, 'sh'],
  );
  const assignment = rig.assignment();
  await rig.start(agent, assignment);
  expect((await rig.finish(agent, assignment)).judged.kind).toBe('finished');
  expect(await readFile(told, 'utf8')).toBe('tok-attempt|--no-code|--reason|only words|');
});

test('a done that is refused fails the attempt with the refusal', async () => {
  const agent = playing([{ do: 'done' }], ['/bin/sh', '-c', 'echo no commits >&2; exit 1']);
  const assignment = rig.assignment();
  await rig.start(agent, assignment);
  expect((await rig.finish(agent, assignment)).judged).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('no commits'),
  });
});

test('a reviewer gives its verdict where it was told to', async () => {
  const papers = join(rig.place, 'review');
  await mkdir(papers);
  const review = { diffFile: join(papers, 'd'), verdictFile: join(papers, 'v.json') };
  const finding = { file: 'a.ts', line: 3, severity: 'high', text: 'no test' };
  await play([{ do: 'verdict', verdict: 'reject', findings: [finding] }], {
    role: 'reviewer',
    review,
  });
  expect(JSON.parse(await readFile(review.verdictFile, 'utf8'))).toEqual({
    verdict: 'reject',
    findings: [finding],
  });
});

test('a verdict without a review and a task without a script are told before anything runs', () => {
  const verdict = playing([{ do: 'verdict', verdict: 'approve' }]);
  expect(verdict.prepare(rig.assignment())).toMatchObject({ error: { code: 'no-review' } });
  const script = parseScript('{"scripts":[{"when":{"task":"api-*"},"steps":[]}]}');
  if (!script.ok) throw new Error('unexpected');
  const settings = { name: 's', script: script.value, node: 'node', done: ['true'] as [string] };
  expect(scriptedAgent(settings).prepare(rig.assignment())).toMatchObject({
    error: { code: 'no-script', message: expect.stringContaining('web-1') },
  });
});

test('it waits for a file that another makes', async () => {
  const agent = playing([
    { do: 'wait-for', path: '../go' },
    { do: 'write', path: 'went', content: '' },
  ]);
  const assignment = rig.assignment();
  await rig.start(agent, assignment);
  expect(existsSync(join(rig.worktree, 'went'))).toBe(false);
  await writeFile(join(rig.place, 'go'), '');
  expect((await rig.finish(agent, assignment)).judged.kind).toBe('finished');
  expect(existsSync(join(rig.worktree, 'went'))).toBe(true);
});
