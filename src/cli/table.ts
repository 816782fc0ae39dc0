import { command, type Command } from './command.ts';
import * as approvals from './commands/approvals.ts';
import * as convoys from './commands/convoys.ts';
import { demo } from './commands/demo.ts';
import * as queue from './commands/queue.ts';
import { review } from './commands/review.ts';
import * as interchange from './commands/interchange.ts';
import * as notifications from './commands/notifications.ts';
import * as repos from './commands/repos.ts';
import * as shell from './commands/shell.ts';
import * as ship from './commands/ship.ts';
import * as system from './commands/system.ts';
import * as tasks from './commands/tasks.ts';
import * as worker from './commands/worker.ts';

/**
 * Every command there is. Parser, help, completion and the reference page are read from this table;
 * what a command does is loaded when it runs.
 */
export const COMMANDS: readonly Command[] = [
  command(repos.init, () => import('./run/init.ts')),
  command(repos.repoAdd, () => import('./run/repo-add.ts')),
  command(repos.repoList, () => import('./run/repo-list.ts')),
  command(repos.repoShow, () => import('./run/repo-show.ts')),
  command(repos.repoSet, () => import('./run/repo-set.ts')),
  command(repos.repoPark, () => import('./run/repo-park.ts')),
  command(repos.repoUnpark, () => import('./run/repo-unpark.ts')),
  command(repos.repoRemove, () => import('./run/repo-remove.ts')),
  command(tasks.taskCreate, () => import('./run/task-create.ts')),
  command(tasks.taskShow, () => import('./run/task-show.ts')),
  command(tasks.taskList, () => import('./run/task-list.ts')),
  command(tasks.taskReady, () => import('./run/task-ready.ts')),
  command(tasks.taskEdit, () => import('./run/task-edit.ts')),
  command(tasks.taskClose, () => import('./run/task-close.ts')),
  command(tasks.taskReopen, () => import('./run/task-reopen.ts')),
  command(tasks.taskRetry, () => import('./run/task-retry.ts')),
  command(tasks.taskSkip, () => import('./run/task-skip.ts')),
  command(tasks.taskDepAdd, () => import('./run/task-dep-add.ts')),
  command(tasks.taskDepRm, () => import('./run/task-dep-rm.ts')),
  command(tasks.why, () => import('./run/why.ts')),
  command(interchange.draft, () => import('./run/draft.ts')),
  command(interchange.importFile, () => import('./run/import.ts')),
  command(interchange.exportFile, () => import('./run/export.ts')),
  command(worker.prime, () => import('./run/prime.ts')),
  command(worker.done, () => import('./run/done.ts')),
  command(worker.checkpoint, () => import('./run/checkpoint.ts')),
  command(worker.escalate, () => import('./run/escalate.ts')),
  command(worker.ask, () => import('./run/ask.ts')),
  command(worker.mcp, () => import('./run/mcp.ts')),
  command(convoys.create, () => import('./run/create.ts')),
  command(convoys.edit, () => import('./run/edit.ts')),
  command(convoys.add, () => import('./run/add.ts')),
  command(convoys.remove, () => import('./run/remove.ts')),
  command(convoys.list, () => import('./run/list.ts')),
  command(convoys.status, () => import('./run/status.ts')),
  command(convoys.pause, () => import('./run/pause.ts')),
  command(convoys.resume, () => import('./run/resume.ts')),
  command(convoys.cancel, () => import('./run/cancel.ts')),
  command(convoys.close, () => import('./run/close.ts')),
  command(convoys.watch, () => import('./run/watch.ts')),
  command(convoys.unwatch, () => import('./run/unwatch.ts')),
  command(convoys.stage, () => import('./run/stage.ts')),
  command(convoys.launch, () => import('./run/launch.ts')),
  command(convoys.sling, () => import('./run/sling.ts')),
  command(convoys.stranded, () => import('./run/stranded.ts')),
  command(queue.land, () => import('./run/land.ts')),
  command(review, () => import('./run/review.ts')),
  command(queue.queueList, () => import('./run/queue-list.ts')),
  command(queue.queueShow, () => import('./run/queue-show.ts')),
  command(queue.queueRetry, () => import('./run/queue-retry.ts')),
  command(queue.queueReject, () => import('./run/queue-reject.ts')),
  command(queue.queueMove, () => import('./run/queue-move.ts')),
  command(queue.queuePause, () => import('./run/queue-pause.ts')),
  command(queue.queueResume, () => import('./run/queue-resume.ts')),
  command(approvals.approvals, () => import('./run/approvals.ts')),
  command(approvals.approve, () => import('./run/approve.ts')),
  command(approvals.reject, () => import('./run/reject.ts')),
  command(approvals.answer, () => import('./run/answer.ts')),
  command(approvals.open, () => import('./run/open.ts')),
  command(approvals.tokenCreate, () => import('./run/token-create.ts')),
  command(approvals.tokenList, () => import('./run/token-list.ts')),
  command(approvals.tokenRevoke, () => import('./run/token-revoke.ts')),
  command(ship.plan, () => import('./run/ship-plan.ts')),
  command(ship.plans, () => import('./run/ship-plans.ts')),
  command(ship.show, () => import('./run/ship-show.ts')),
  command(ship.rehearse, () => import('./run/ship-rehearse.ts')),
  command(ship.apply, () => import('./run/ship-apply.ts')),
  command(ship.ship, () => import('./run/ship-ship.ts')),
  command(ship.runs, () => import('./run/ship-runs.ts')),
  command(system.configGet, () => import('./run/config-get.ts')),
  command(system.configSet, () => import('./run/config-set.ts')),
  command(system.configEdit, () => import('./run/config-edit.ts')),
  command(system.configExplain, () => import('./run/config-explain.ts')),
  command(system.configPath, () => import('./run/config-path.ts')),
  command(system.doctor, () => import('./run/doctor.ts')),
  command(system.events, () => import('./run/events.ts')),
  command(notifications.notifications, () => import('./run/notifications.ts')),
  command(system.logs, () => import('./run/logs.ts')),
  command(system.ledgerInfo, () => import('./run/ledger-info.ts')),
  command(system.ledgerVerify, () => import('./run/ledger-verify.ts')),
  command(system.up, () => import('./run/up.ts')),
  command(system.down, () => import('./run/down.ts')),
  command(demo, () => import('./run/demo.ts')),
  command(shell.completion, () => import('./run/completion.ts')),
  command(shell.help, () => import('./run/help.ts')),
  command(shell.version, () => import('./run/version.ts')),
];
