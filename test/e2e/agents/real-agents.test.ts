import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commandAgent } from '../../../src/adapters/agents/command/command-agent.ts';
import { PRESET_NAMES, type PresetName } from '../../../src/adapters/agents/presets/presets.ts';
import type { Assignment } from '../../../src/ports/agent.ts';
import { type AgentRig, idOf, openAgentRig } from '../../agents/rig.ts';
import { GREETING } from '../../fakes/model-server/scenarios.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server/server.ts';
import { BIN, settingsFor } from './real-settings.ts';

const here = PRESET_NAMES.filter((name) => existsSync(join(BIN, name)));
const missing = PRESET_NAMES.filter((name) => !here.includes(name));
for (const name of missing) {
  process.stderr.write(
    `${name} is not installed (npm run agents:install): its tests are skipped\n`,
  );
  // oxlint-disable-next-line vitest/expect-expect -- it is the notice that something is not tried
  test(`${name} is tried where it is installed`, ({ skip }) => {
    skip('not installed here: npm run agents:install');
  });
}

// One of them refuses to live below the system's folder for temporary files.
const PARENT = join(homedir(), '.cache', 'convoy-tests');
let server: ModelServer;
let rig: AgentRig;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rmdir(PARENT).catch(() => {}); // another run may still be in there
});
beforeEach(async () => {
  await mkdir(PARENT, { recursive: true });
  rig = await openAgentRig(PARENT);
});
afterEach(() => rig.close());

describe.each(here)('%s', (preset) => {
  test('does the task: the file is written, session and tokens are known', async () => {
    const { judged, transcript } = await attempt(preset, 'normal');
    expect(judged).toEqual({ kind: 'finished', doubts: [] });
    expect(await readFile(join(rig.worktree, 'greet.ts'), 'utf8')).toBe(GREETING);
    expect(transcript.session).toMatch(/.{8,}/);
    expect(transcript.toolResults.ok).toBe(1);
    expect(transcript.tokens).toEqual({ input: 200, output: 40 });
    expect(transcript.lastMessage).toBe('Done: wrote the greeting');
  });

  test('a key that is refused fails for good, a busy model is waited for', async () => {
    const refused = await attempt(preset, 'no-key');
    expect(refused.judged).toMatchObject({
      kind: 'failed',
      reason: 'api-error',
      transient: false,
      message: expect.stringContaining('401'),
    });
    const busy = await attempt(preset, 'busy-twice');
    expect(busy.judged.kind).toBe('finished');
    expect(existsSync(join(rig.worktree, 'greet.ts'))).toBe(true);
  });

  test('a tool that is refused or fails does not look like success', async () => {
    const { judged } = await attempt(preset, 'outside');
    expect(judged).toMatchObject({
      kind: 'finished',
      doubts: expect.arrayContaining([
        { kind: expect.stringMatching(/^tools-(?:refused|failed)$/), message: expect.any(String) },
      ]),
    });
    expect(await rig.git('status', '--porcelain')).toBe('');
  });

  test('only its own credentials reach it', async () => {
    await attempt(preset, 'refusal');
    const keys = server.asked
      .filter(({ scenario }) => scenario === `refusal~${preset}`)
      .map(({ key }) => key);
    expect(new Set(keys)).toEqual(new Set([`key-of-${preset}`]));
  });

  test('while the model hangs it can be stopped, and none of its processes stays', async () => {
    const { agent, assignment } = await prepared(preset, 'hang');
    await rig.start(agent, assignment);
    await expect
      .poll(() => server.asked.some(({ scenario }) => scenario === `hang~${preset}`), {
        timeout: 30_000,
      })
      .toBe(true);
    const stopped = await rig.executor.stop(idOf(assignment), { graceMs: 3000 });
    expect(stopped).toMatchObject({ state: { status: 'exited' }, left: 0 });
  });

  test.runIf(commandAgent({ name: preset, preset }).capabilities.resume)(
    'continues a session with what was said in it',
    async () => {
      const { transcript } = await attempt(preset, 'normal');
      const session = transcript.session ?? '';
      const again = await attempt(preset, 'refusal', { session });
      expect(again.judged.kind).toBe('finished');
      const asked = server.asked.filter(
        ({ scenario, tools }) => scenario === `refusal~${preset}` && tools.length > 0,
      );
      expect(asked.at(-1)?.hasToolResult).toBe(true);
    },
  );
});

async function attempt(preset: PresetName, scenario: string, more: Partial<Assignment> = {}) {
  const { agent, assignment } = await prepared(preset, scenario, more);
  await rig.start(agent, assignment);
  return rig.finish(agent, assignment);
}

async function prepared(preset: PresetName, scenario: string, more: Partial<Assignment> = {}) {
  const agent = commandAgent({ name: preset, preset });
  const given = rig.assignment(more);
  const settings = await settingsFor(preset, rig.place, `${server.url}/s/${scenario}~${preset}`);
  const path = [BIN, given.environment.base['PATH']].join(delimiter);
  const temporary = join(rig.place, 'tmp');
  await mkdir(temporary, { recursive: true });
  const base = { ...given.environment.base, ...settings, PATH: path, TMPDIR: temporary };
  const environment = { ...given.environment, base, allow: ['TMPDIR'] };
  const assignment: Assignment = { ...given, environment };
  return { agent, assignment };
}
