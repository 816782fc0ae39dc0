import { inline, keyOf } from './render-toml.ts';

export type StarterRepo = {
  readonly name: string;
  readonly path: string;
  readonly prefix: string;
  readonly target: string;
};

/** The file `convoy init` writes: what is needed is active, the rest are hints to uncomment. */
export const starterConfig = (repo: StarterRepo | null): string =>
  repo === null ? GENERAL : `${GENERAL}\n${repoSection(repo)}`;

const GENERAL = `# Convoy's configuration. Convoy edits this file too and keeps your comments.
# \`convoy config explain\` shows every value and where it comes from.

[workspace]
max_parallel = 4                      # agents at the same time
# attempts = 3                        # per task
# notify = ["me"]                     # who hears about stalls, approvals and landings

# [notify.me]
# sink = "terminal"                   # command | webhook | slack | inbox | terminal

# The agent that does the work. Pick a preset or give any command line.
# [agents.mine]
# preset = "claude"                   # claude | codex | opencode | gemini
# command = ["bash", "agent.sh"]      # instead; {prompt_file} {worktree} {task_id} {title} are filled in
# timeout = "30m"
`;

function repoSection(repo: StarterRepo): string {
  const header = keyOf(['repos', repo.name]);
  return `[${header}]
path = ${inline(repo.path)}
prefix = ${inline(repo.prefix)}
target = ${inline(repo.target)}
# agent = "mine"
# merge_mode = "review-then-land"     # or "review-and-merge"
# delivery = "direct"                 # direct | pull-request | local
# pr_merge = "approved"               # approved | green | never: when Convoy merges a pull request
# setup = ["npm", "install"]          # prepares a fresh worktree
# review = "agent"                    # none | agent | human | both
# reviewer = "mine"

# A gate must pass before anything lands. Without one, work is marked unverified.
# [[${header}.gates]]
# name = "test"
# run = ["npm", "test"]
# timeout = "10m"
`;
}
