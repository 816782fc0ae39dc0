import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { onTestFinished } from 'vitest';
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';
import { type Ledger, openLedger } from '../../src/ledger/open.ts';
import { attemptsOf, liveAttempts } from '../../src/ledger/queries/attempts.ts';
import type { Attempt } from '../../src/domain/work/attempt.ts';
import { executionId } from '../../src/ports/executor.ts';
import { type Answer, askOver, makeWorkspace, serve } from '../identity/rig.ts';

/** What a program inside an attempt was given. */
export type Access = { readonly url: string; readonly token: string };

export type McpRig = {
  readonly ledger: Ledger;
  readonly operator: Access;
  ask(path: string, body?: object): Promise<Answer>;
  /** Starts a task whose agent does nothing but wait, and says what that agent was given. */
  worker(title: string): Promise<{ task: string; access: Access; file: string }>;
  attempt(task: string): Promise<Attempt>;
  until<T>(look: () => Promise<T | null>): Promise<T>;
};

const NODE = resolve('node_modules/.bin/node');

/** Writes down its environment where the test finds it, and ends when told so in the same way. */
const WAITS = `
const fs = require('fs');
const file = process.env.CONVOY_PROMPT_FILE + '.env';
fs.writeFileSync(file, JSON.stringify(process.env));
setInterval(() => fs.existsSync(file + '.end') && process.exit(0), 50);
`;

/** A daemon whose agents wait; the test speaks for them. */
export async function openMcpRig(more = ''): Promise<McpRig> {
  const { root, env, ledger: place } = await makeWorkspace();
  const dir = join(root, '.convoy');
  layOut(root, more);
  const daemon = await serve(root, env, undefined);
  if (!daemon.ok) throw new Error(daemon.error.message);
  const ledger = await openLedger(place, Date.now);
  const executor = localExecutor({ directory: join(dir, 'logs'), node: process.execPath });
  onTestFinished(async () => {
    await daemon.value.stop();
    for (const { id } of await liveAttempts(ledger.db))
      await executor.stop(executionId(id), { graceMs: 200 });
    await ledger.close();
    rmSync(root, { recursive: true, maxRetries: 5 });
  });
  const url = readDaemonFile(dir)?.url ?? '';
  const token = readFileSync(join(dir, 'token'), 'utf8').trim();
  return acting(ledger, dir, { url, token });
}

function layOut(root: string, more: string): void {
  const first = ['commit', '-q', '--allow-empty', '-m', 'first'];
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@a.invalid', ...first], {
    cwd: root,
  });
  const waiting = JSON.stringify([process.execPath, '-e', WAITS]);
  writeFileSync(
    join(root, '.convoy', 'config.toml'),
    `[agents.waits]\nadapter = "command"\ncommand = ${waiting}\n${more}
[repos.main]\npath = "."\nprefix = "web"\ntarget = "main"\nagent = "waits"\nmerge_mode = "review-and-merge"\n`,
  );
}

function acting(ledger: Ledger, dir: string, operator: Access): McpRig {
  const { url, token } = operator;
  const ask: McpRig['ask'] = (path, body) =>
    askOver(url, `/api/v1${path}`, {
      token,
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
  const limit = AbortSignal.timeout(50_000);
  const until: McpRig['until'] = async (look) => {
    for (;;) {
      const found = await look();
      if (found !== null) return found;
      limit.throwIfAborted();
      // Files tell nobody that they are there, so a short while passes between two looks.
      await ledger.changes.next(AbortSignal.any([limit, AbortSignal.timeout(100)]));
    }
  };
  const first = async (task: string): Promise<Attempt | undefined> =>
    (await attemptsOf(ledger.db, task))[0];
  return {
    ledger,
    operator,
    ask,
    until,
    async attempt(task) {
      const attempt = await first(task);
      if (attempt === undefined) throw new Error(`${task} was not started`);
      return attempt;
    },
    async worker(title) {
      const { json } = await ask('/tasks', { title, description: `All about ${title}.` });
      await ask('/launch', { targets: [json.task.id], force: true });
      const file = await until(async () => {
        const papers = join(
          dir,
          'logs',
          (await first(json.task.id))?.id ?? 'none',
          'prompt.md.env',
        );
        return existsSync(papers) && readFileSync(papers, 'utf8').endsWith('}') ? papers : null;
      });
      return { task: json.task.id, access: accessIn(file), file };
    },
  };
}

function accessIn(file: string): Access {
  const given = JSON.parse(readFileSync(file, 'utf8'));
  return { url: given.CONVOY_URL, token: given.CONVOY_TOKEN };
}

/** A real client of the real command. */
export async function mcpClient({ url, token }: Access): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: NODE,
      args: [resolve('bin/convoy.js'), 'mcp'],
      env: { PATH: process.env['PATH'] ?? '', CONVOY_URL: url, CONVOY_TOKEN: token },
      stderr: 'pipe',
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** What a call answered, read as JSON. */
export async function use(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers by hand
): Promise<any> {
  const answer = await client.callTool({ name, arguments: args });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every tool of ours answers with one text
  const [content] = answer.content as { text: string }[];
  return { failed: answer.isError === true, ...JSON.parse(content?.text ?? '{}') };
}
