import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../host.ts';
import { Stop } from '../stop.ts';
import type { DemoPlace } from './place.ts';
import { git } from './programs.ts';
import { agentScript } from './work.ts';

/** A repository with a first commit, a workspace in it, and agents that know what to do. */
export async function setUpDemo(place: DemoPlace, host: Host): Promise<void> {
  const { repository, agents, shipped, env } = place;
  cpSync(join(shipped.demo, 'repository'), repository, { recursive: true });
  await git(repository, 'init', '--quiet', '-b', 'main');
  await git(repository, 'add', '--all');
  await git(repository, 'commit', '--quiet', '-m', 'Begin: one route, its tests, and a plan');
  const wish = { name: undefined, prefix: 'link', target: undefined };
  const made = await host.init({ dir: repository, env, ...wish });
  if (!made.ok) throw new Stop(made.error);
  cpSync(join(shipped.demo, 'agent'), agents, { recursive: true });
  writeFileSync(join(agents, 'script.json'), agentScript(shipped.demo, agents));
  writeFileSync(join(repository, '.convoy', 'config.toml'), configFor(place));
}

const configFor = ({ agents }: DemoPlace): string => `# Written by convoy demo.

[workspace]
max_parallel = 4
backoff = "0s"

[agents.scripted]
adapter = "scripted"
script = ${text(join(agents, 'script.json'))}

[agents.reviewer]
command = [${text(process.execPath)}, ${text(join(agents, 'reviewer.mjs'))}]

[repos.main]
path = "."
prefix = "link"
target = "main"
agent = "scripted"
review = "agent"
reviewer = "reviewer"

[[repos.main.gates]]
name = "test"
run = [${GATE.map((word) => text(word)).join(', ')}]
timeout = "2m"
require_tests = true
`;

/** The Node that runs this is new enough for node:sqlite; the one on the PATH may not be. */
const GATE = [process.execPath, '--test', '--test-isolation=none', '--no-warnings'];

/** A basic string of TOML is a string of JSON. */
function text(value: string): string {
  return JSON.stringify(value);
}
