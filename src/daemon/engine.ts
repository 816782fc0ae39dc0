import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acpAgent } from '../adapters/agents/acp/acp-agent.ts';
import { localLogs } from '../adapters/executor/log-store.ts';
import { commandAgent } from '../adapters/agents/command/command-agent.ts';
import { parseScript } from '../adapters/agents/scripted/script.ts';
import { scriptedAgent } from '../adapters/agents/scripted/scripted-agent.ts';
import { notifierFor } from '../adapters/notifiers/notifier-for.ts';
import type { Services } from '../api/context.ts';
import { environment } from '../config/environment.ts';
import { type Engine, startEngine } from '../engine/engine.ts';
import { keepingTidy } from '../engine/retention.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { Agent } from '../ports/agent.ts';
import type { Reviewer } from '../ports/reviewer.ts';
import type { AgentSettings, SettingsStore } from '../ports/settings.ts';
import { forgesOf } from './forges.ts';
import { mintAttemptToken, revokeAttemptTokens } from './attempt-tokens.ts';
import type { Variables } from './services.ts';
import { realTimers } from './timers.ts';

/** Starts the loops of a workspace on this machine. */
export async function startLocalEngine(
  services: Services,
  env: Variables,
  url: string,
  launcher: readonly [string, ...string[]],
): Promise<Engine> {
  const { ledger, settings, repositories, machine, ids, workspace } = services;
  const runsDir = join(workspace.dir, 'logs');
  mkdirSync(runsDir, { recursive: true });
  const executor = await services.executor();
  const log = logIn(join(runsDir, 'engine.log'));
  const logs = localLogs(runsDir);
  const tidy = keepingTidy({
    ledger,
    settings,
    executor,
    logs,
    timers: realTimers,
    now: Date.now,
    log,
  });
  const engine = startEngine({
    ledger,
    settings,
    repositories,
    machine,
    ids,
    executor,
    agent: (name, agentSettings) => agentOf(name, agentSettings, launcher),
    forges: forgesOf(env),
    notifier: (sink) =>
      notifierFor(sink, {
        cwd: workspace.root,
        logFile: join(runsDir, 'notifications.log'),
        env,
        now: Date.now,
        say: (line) => process.stderr.write(`${line}\n`),
        timeoutMs: 10_000,
      }),
    reviewer: () => builtInReviewer(settings, env),
    mintToken: mintAttemptToken,
    revokeTokens: revokeAttemptTokens,
    url,
    runsDir,
    convoyRoot: CONVOY_ROOT,
    env,
    readText,
    now: Date.now,
    timers: realTimers,
    chance: Math.random,
    log,
  });
  return {
    ...engine,
    stop: async (how) => {
      await tidy.stop();
      await engine.stop(how);
    },
  };
}

async function builtInReviewer(settings: SettingsStore, env: Variables): Promise<Reviewer | null> {
  const [read, access] = [settings.read(), environment(env)];
  if (!read.ok || !access.ok) return null;
  const { anthropic, openai } = access.value;
  const [{ openModel }, { createModelReviewer }] = await Promise.all([
    import('../adapters/model/open-model.ts'),
    import('../adapters/review/model-reviewer.ts'),
  ]);
  const model = openModel(read.value.model, { anthropic, openai });
  const secrets = [anthropic.apiKey, openai.apiKey].flatMap((key) => key ?? []);
  return model === null ? null : createModelReviewer({ model, secrets });
}

const logIn =
  (file: string) =>
  (line: string): void =>
    appendFileSync(file, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 });

async function readText(path: string, most: number): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).slice(0, most);
  } catch {
    return null;
  }
}

/** The directory of our package.json: this file is elsewhere in a bundle than in the sources. */
const CONVOY_ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(directory: string): string {
  if (existsSync(join(directory, 'package.json')) || dirname(directory) === directory)
    return directory;
  return rootAbove(dirname(directory));
}

function agentOf(
  name: string,
  settings: AgentSettings,
  launcher: readonly [string, ...string[]],
): Result<Agent, string> {
  switch (settings.adapter) {
    case 'command':
      return ok(
        commandAgent({
          name,
          mcp: [...launcher, 'mcp'],
          ...(settings.command === null ? {} : { command: settings.command }),
          ...(settings.preset === null ? {} : { preset: settings.preset }),
        }),
      );
    case 'scripted':
      return scripted(name, settings.script, [...launcher, 'done']);
    case 'acp':
      return ok(
        acpAgent({
          name,
          permissions: settings.permissions,
          node: process.execPath,
          mcp: [...launcher, 'mcp'],
          ...(settings.command === null ? {} : { command: settings.command }),
          ...(settings.preset === null ? {} : { preset: settings.preset }),
        }),
      );
    default:
      return unreachable(settings);
  }
}

function scripted(
  name: string,
  file: string,
  done: readonly [string, ...string[]],
): Result<Agent, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return err(`the script ${file} cannot be read`);
  }
  const script = parseScript(text);
  if (!script.ok)
    return err(
      `${file}: ${script.error.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    );
  return ok(scriptedAgent({ name, script: script.value, node: process.execPath, done }));
}
