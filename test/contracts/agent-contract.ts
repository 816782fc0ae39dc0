// oxlint-disable max-lines-per-function -- a suite is a list of tests
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Agent, Assignment, Launch } from '../../src/ports/agent.ts';
import type { Ended } from '../../src/ports/executor.ts';
import { type AgentRig, openAgentRig } from '../agents/rig.ts';

const HOSTILE_TITLE = '$(touch pwned) `id`; {worktree} "x" \n --help';
const SECRETS = {
  AWS_SECRET_ACCESS_KEY: 'secret-aws',
  GITHUB_TOKEN: 'secret-github',
  CONVOY_LEDGER: 'secret-ledger',
  CONVOY_TOKEN: 'secret-operator',
};

const exited = (code: number): Ended => ({
  status: 'exited',
  how: { kind: 'code', code },
  at: 0,
  output: { bytes: 0, dropped: 0 },
});

/** What every agent must do, whatever it is made of. */
export function agentContract(agent: Agent): void {
  let rig: AgentRig;
  beforeAll(async () => {
    rig = await openAgentRig();
  });
  afterAll(() => rig.close());

  const launchOf = (more: Partial<Assignment> = {}): { launch: Launch; assignment: Assignment } => {
    const given = rig.assignment(more);
    const base = { ...given.environment.base, ...SECRETS, NPM_TOKEN: 'npm' };
    const assignment = {
      ...given,
      environment: { ...given.environment, base, allow: ['NPM_TOKEN'] },
    };
    const launch = agent.prepare(assignment);
    if (!launch.ok) throw new Error(launch.error.message);
    return { launch: launch.value, assignment };
  };

  test('it is launched in its worktree, with the prompt in a file outside of it', () => {
    const { launch, assignment } = launchOf();
    expect(launch.argv.length).toBeGreaterThan(0);
    expect(launch.cwd).toBe(rig.worktree);
    const prompt = launch.files.find(({ content }) => content === assignment.prompt);
    expect(launch.env['CONVOY_PROMPT_FILE']).toBe(prompt?.path);
    for (const { path } of launch.files) expect(path.startsWith(rig.worktree)).toBe(false);
  });

  test('it sees what the contract promises', () => {
    const { launch, assignment } = launchOf({ number: 3, role: 'resolver' });
    expect(launch.env).toMatchObject({
      CONVOY_TASK_ID: 'web-1',
      CONVOY_TASK_TITLE: 'Greet',
      CONVOY_TASK_TYPE: 'task',
      CONVOY_ATTEMPT: '3',
      CONVOY_WORKTREE: rig.worktree,
      CONVOY_BRANCH: 'main',
      CONVOY_BASE: 'HEAD',
      CONVOY_CONVOY_ID: 'cv-1',
      CONVOY_ROLE: 'resolver',
      CONVOY_URL: assignment.access.url,
      CONVOY_TOKEN: 'tok-attempt',
      NPM_TOKEN: 'npm',
      HOME: rig.place,
    });
  });

  test('a reviewer also sees the diff and where to answer', () => {
    const review = { diffFile: '/p/d', verdictFile: '/p/v' };
    expect(launchOf({ role: 'reviewer', review }).launch.env).toMatchObject({
      CONVOY_DIFF_FILE: '/p/d',
      CONVOY_VERDICT_FILE: '/p/v',
    });
    expect(launchOf().launch.env).not.toHaveProperty('CONVOY_VERDICT_FILE');
  });

  test('nothing secret of ours reaches it', () => {
    expect(JSON.stringify(launchOf().launch)).not.toContain('secret-');
  });

  test('a hostile title neither adds arguments nor is read again', () => {
    const calm = launchOf().launch;
    const task = { ...rig.assignment().task, title: HOSTILE_TITLE };
    const { launch } = launchOf({ task });
    expect(launch.argv).toHaveLength(calm.argv.length);
    expect(launch.env['CONVOY_TASK_TITLE']).not.toContain('\n');
    expect(launch.env['CONVOY_TASK_TITLE']).toContain('{worktree}');
  });

  test('preparing twice gives the same', () => {
    const { launch, assignment } = launchOf();
    expect(agent.prepare(assignment)).toEqual({ ok: true, value: launch });
  });

  test('its parser survives anything and counts what it tells', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), fc.json(), (chunks, json) => {
        const parser = agent.parser();
        const events = [
          ...chunks.flatMap((chunk) => parser.push(chunk)),
          ...parser.push(
            new TextEncoder().encode(`\n${json}\n{"type":"result"}\n{"type":"error"}`),
          ),
          ...parser.end(),
        ];
        expect(parser.transcript().events).toBe(events.length);
      }),
      { numRuns: 50 },
    );
  });

  test('exit 0 finishes, 75 asks for later, everything else fails', () => {
    const { transcript } = { transcript: agent.parser().transcript() };
    expect(agent.judge(exited(0), transcript).kind).toBe('finished');
    expect(agent.judge(exited(75), transcript).kind).toBe('later');
    expect(agent.judge(exited(3), transcript).kind).toBe('failed');
    expect(agent.judge({ status: 'lost', because: 'gone' }, transcript)).toMatchObject({
      kind: 'failed',
      reason: 'lost',
    });
  });
}
