/** What each key of config.toml is for, in one sentence. The reference page refuses to be written when a key is missing here. */
export const MEANINGS = {
  'workspace.max_parallel': 'Agents at the same time, over all repositories.',
  'workspace.dispatch': 'How the next task is chosen among those that are ready.',
  'workspace.coordinator':
    'The agent that chooses with `dispatch = "coordinator"`, a name of `[agents.<name>]`.',
  'workspace.attempts': 'How often a task is tried before it counts as failed.',
  'workspace.backoff': 'The wait before the second attempt; it doubles each time.',
  'workspace.breaker':
    'Failures at once, in a row, after which an agent gets no work for a minute or more; 0 is never.',
  'workspace.notify': 'Who is told when a convoy names nobody; names of `[notify.<name>]`.',
  'workspace.conflict_limit': 'After this long people are told of a conflict that nobody resolved.',
  'workspace.watchdog':
    'After this long without progress a queue is started again and people are told; gates may take their own time on top.',
  'notify.sink': 'Where messages go.',
  'notify.command': 'The program that is given the message (sink `command`).',
  'notify.url': 'Where the message is posted (sinks `webhook` and `slack`).',
  'notify.secret_env': 'The variable that holds the signing secret (sink `webhook`).',
  'budget.usd': 'Money a convoy may spend; 0 is no limit.',
  'budget.tokens': 'Tokens a convoy may spend; 0 is no limit.',
  'budget.minutes': 'Minutes the agents of a convoy may work, added up; 0 is no limit.',
  'model.provider': 'Which kind of API serves the built-in model work.',
  'model.name': 'The model to ask for.',
  'agents.adapter': 'How the agent is driven.',
  'agents.command':
    'The command line; `{prompt_file}`, `{worktree}`, `{task_id}` and `{title}` are filled in.',
  'agents.preset': 'A command line that Convoy knows, with its output format.',
  'agents.timeout': 'The longest an attempt may take.',
  'agents.silence':
    'The longest an attempt may say nothing: noted after an eighth of it, told after half, then ended.',
  'agents.max_parallel': 'Attempts of this agent at the same time.',
  'agents.permissions': 'How permission requests are answered (adapter `acp`).',
  'agents.script': 'The file with the steps (adapter `scripted`).',
  'repos.path': 'Where the repository is; relative to the workspace. Either this or `url`.',
  'repos.url': 'The address of a remote repository. Either this or `path`.',
  'repos.prefix': 'How the ids of its tasks begin.',
  'repos.target': 'The branch that work lands on.',
  'repos.agent': 'The agent that works here, a name of `[agents.<name>]`.',
  'repos.merge_mode':
    'Collect work on a branch and land it after review, or merge each change by itself.',
  'repos.strategy': 'The shape of the history that a landing leaves.',
  'repos.delivery':
    'How a landing reaches the target: pushed to `origin`, by a pull request, or on this machine only. With `local` nothing is ever pushed.',
  'repos.pr_merge':
    'When Convoy merges a pull request of its own: approved and green, as soon as it is green, or never (a person does). Only with `delivery = "pull-request"`.',
  'repos.review': 'Who reviews; without a `reviewer` nobody, with one the agent.',
  'repos.reviewer': 'The agent that reviews.',
  'repos.review_each': 'Review every change, not only the whole.',
  'repos.slots': 'Gate runs at the same time.',
  'repos.setup': 'Prepares a fresh worktree.',
  'repos.wip': 'Whether a new attempt builds on what a failed one left.',
  'repos.failure_policy': 'Whether a failed task holds the rest of its convoy.',
  'repos.allowed_paths': 'Paths that work may change; empty is everywhere.',
  'repos.review_prompt': 'A file with words of your own for the reviewer.',
  'repos.env': 'Variables that are passed on to agents and gates.',
  'repos.gates.name': 'What the gate is called in reports.',
  'repos.gates.run': 'The command that must succeed on the merged tree.',
  'repos.gates.timeout': 'The longest it may take.',
  'repos.gates.retries': 'How often a failing run is repeated before it counts.',
  'repos.gates.env': 'Variables that are passed on to this gate only.',
  'repos.gates.require_tests': 'A run in which no test ran is a broken gate.',
  'repos.gates.phase': 'Run it for every change, only at a landing, or always.',
  'github.webhook_secret_env':
    "The variable that holds the secret of GitHub's webhooks; without one they are refused.",
  'github.poll':
    'How soon an open pull request is looked at again; the wait grows to ten minutes while nothing happens.',
  'retention.days': 'How long logs and notifications of finished work are kept; 0 is for ever.',
  'retention.gb':
    'How much room logs may take; those of finished work go, the oldest first. 0 is any.',
  'ship.platform': 'Where a service is deployed.',
  'ship.steps': 'Shares of traffic, in percent, that the new version gets one after the other.',
  'ship.bake': 'How long each share is watched.',
  'ship.observe': 'How long the new version is watched after the last step.',
  'ship.max_error_rate': 'More errors than this share is a breach.',
  'ship.max_p99_ms': 'A slower 99th percentile than this is a breach.',
  'ship.false_alarm_rate': 'How often a healthy version may be rolled back by chance.',
  'ship.auto':
    'Whether a landed convoy is to start a deployment. Kept; nothing ships by itself yet.',
};
