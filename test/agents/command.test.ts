import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandAgent } from '../../src/adapters/agents/command/command-agent.ts';
import type { Assignment } from '../../src/ports/agent.ts';
import { type AgentRig, openAgentRig } from './rig.ts';

let rig: AgentRig;
beforeEach(async () => {
  rig = await openAgentRig();
});
afterEach(() => rig.close());

async function runScript(source: string, args: string[] = [], more: Partial<Assignment> = {}) {
  await writeFile(join(rig.place, 'agent.sh'), source);
  const agent = commandAgent({ name: 'mine', command: ['sh', '../agent.sh', ...args] });
  const assignment = rig.assignment(more);
  await rig.start(agent, assignment);
  return rig.finish(agent, assignment);
}

test('a shell script works as an agent: prompt by file, task by variable, place by directory', async () => {
  const { judged, output } = await runScript(
    'cat "$CONVOY_PROMPT_FILE"; echo; echo "$1|$2|$3|$4"; echo "$CONVOY_TASK_ID $CONVOY_ATTEMPT"; pwd -P > place; cat',
    ['{task_id}', '{worktree}', 'as-{title}-is', '{unknown}'],
  );
  expect(judged).toEqual({ kind: 'finished', doubts: [] });
  expect(output).toBe(
    `Create greet.ts with a greet function.\nweb-1|${rig.worktree}|as-Greet-is|{unknown}\nweb-1 1\n`,
  );
  expect(existsSync(join(rig.worktree, 'place'))).toBe(true);
});

test('a hostile title is one argument and nothing runs from it', async () => {
  const title = '$(touch pwned); `touch pwned`\n"; touch pwned; {task_id}';
  const task = { ...rig.assignment().task, title };
  const { output } = await runScript('printf "%s" "$1"', ['{title}'], { task });
  expect(output).toBe(title);
  expect(existsSync(join(rig.worktree, 'pwned'))).toBe(false);
});

test('a command that is not there is told as such', async () => {
  const agent = commandAgent({ name: 'mine', command: ['no-such-agent'] });
  const assignment = rig.assignment();
  await rig.start(agent, assignment);
  expect((await rig.finish(agent, assignment)).judged).toEqual({
    kind: 'failed',
    reason: 'not-started',
    message: 'no such program: no-such-agent',
    transient: false,
  });
});

test('neither command nor preset is refused before anything runs', () => {
  expect(commandAgent({ name: 'mine' }).prepare(rig.assignment())).toMatchObject({
    ok: false,
    error: { code: 'no-command' },
  });
});

test('a preset reads its prompt from its input and its output is understood', async () => {
  const bin = join(rig.place, 'bin');
  await mkdir(bin);
  // A stand-in for the real program that answers with what it was asked.
  await writeFile(
    join(bin, 'claude'),
    `#!/bin/sh
read -r asked
printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\\n' "$asked"
echo noise >&2
printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"busy"}\\n'
`,
    { mode: 0o755 },
  );
  const given = rig.assignment();
  const base = { ...given.environment.base, PATH: `${bin}:${given.environment.base['PATH']}` };
  const agent = commandAgent({ name: 'claude', preset: 'claude' });
  const assignment = { ...given, environment: { ...given.environment, base } };
  await rig.start(agent, assignment);
  const { judged, transcript } = await rig.finish(agent, assignment);
  expect(transcript.lastMessage).toBe('Create greet.ts with a greet function.');
  expect(judged).toEqual({
    kind: 'failed',
    reason: 'api-error',
    message: 'busy (behind exit 0)',
    transient: true,
  });
});
