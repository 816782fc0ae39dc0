import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type Ledger, openLedger } from '../../src/ledger/open.ts';
import { type CliRig, type Json, makeCli, type Ran, ranOf } from '../cli/rig.ts';

/** A workspace whose agent and gate are scripts of the test. */
export type QueueRig = CliRig & {
  /** Replaces what agents do; bash, in the worktree, with the variables of an attempt. */
  agent(script: string): void;
  /** Replaces what the gate does; bash, in the merged tree. */
  gate(script: string): void;
  /** Adds lines to the repo's table of config.toml. */
  repoSettings(lines: string): void;
  launch(...targets: string[]): Promise<Ran>;
  status(convoy: string): Promise<Json>;
  /** Asks at every change of the ledger until it holds; fails after a while with what was seen last. */
  until<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T>;
  /** Files of a commit, by name. */
  show(revision: string, file: string): string;
};

const PATIENCE_MS = 90_000;
/** What is not in the ledger, such as a file of an agent, is looked for now and then. */
const MOST_MS = 500;
const LEAST_MS = 150;

/** One file named by the task, with its title in it. */
export const WRITES_A_FILE = 'echo "$CONVOY_TASK_TITLE" > "$CONVOY_TASK_ID.txt"';

export async function makeQueue(
  options: { agent?: string; gate?: string | null; settings?: string } = {},
): Promise<QueueRig> {
  const cli = await makeCli();
  const agentFile = join(cli.root, 'agent.sh');
  const gateFile = join(cli.root, 'gate.sh');
  const agent = (script: string): void => writeFileSync(agentFile, `set -e\n${script}\n`);
  const gate = (script: string): void => writeFileSync(gateFile, `${script}\n`);
  agent(options.agent ?? WRITES_A_FILE);
  gate(options.gate ?? 'exit 0');
  const gates =
    options.gate === null
      ? 'gates = []'
      : `gates = [{ name = "test", run = ["bash", "${gateFile}"] }]`;
  const repoSettings = (lines: string): void =>
    cli.write(
      '.convoy/config.toml',
      cli.config().replace('agent = "mine"\n', `agent = "mine"\n${lines}\n`),
    );
  cli.write(
    '.convoy/config.toml',
    cli
      .config()
      .replace('# agent = "mine"', `agent = "mine"\n${gates}\n${options.settings ?? ''}`)
      .concat(`\n[agents.mine]\ncommand = ["bash", "${agentFile}"]\n`),
  );
  const status = async (convoy: string): Promise<Json> => (await cli.ok(['status', convoy])).convoy;
  return {
    ...cli,
    agent,
    gate,
    repoSettings,
    status,
    launch: (...targets) => ranOf(cli.start(['launch', ...targets, '--wait', '--json'])),
    until: waiterOn(cli.ledger),
    show: (revision, file) => cli.git('show', `${revision}:${file}`),
  };
}

/** A look is a process of its own, so nobody looks before there is something to see. */
function waiterOn(place: string): QueueRig['until'] {
  let opened: Promise<Ledger> | null = null;
  const open = (): Promise<Ledger> => {
    onTestFinished(async () => (await opened)?.close());
    return openLedger(place, Date.now);
  };
  return async (look, holds) => {
    opened ??= open();
    const { changes } = await opened;
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const change = changes.next(AbortSignal.timeout(MOST_MS));
      const seen = await look();
      if (holds(seen)) return seen;
      if (performance.now() > end) throw new Error(`Never held: ${JSON.stringify(seen)}`);
      // A busy engine changes something all the time.
      await Promise.all([change, pause(LEAST_MS)]);
    }
  };
}
