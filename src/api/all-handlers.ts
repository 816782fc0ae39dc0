import type { Handler } from './context.ts';

type Load = () => Promise<Handler>;

/**
 * Every handler there is, by the id of its route, loaded when it is first asked: a command in process
 * pays for the one it uses. A test holds this table against the contract.
 */
const LOADERS: Readonly<Record<string, Load>> = {
  'approval.approve': async () => (await import('./handlers/approvals.ts')).approvalApprove,
  'approval.reject': async () => (await import('./handlers/approvals.ts')).approvalReject,
  'approval.show': async () => (await import('./handlers/approvals.ts')).approvalShow,
  'approval.list': async () => (await import('./handlers/approvals.ts')).approvalsList,
  'convoy.create': async () => (await import('./handlers/convoy-create.ts')).convoyCreate,
  'convoy.add': async () => (await import('./handlers/convoy-members.ts')).convoyAdd,
  'convoy.remove': async () => (await import('./handlers/convoy-members.ts')).convoyRemove,
  'convoy.cancel': async () => (await import('./handlers/convoy-moves.ts')).convoyCancel,
  'convoy.close': async () => (await import('./handlers/convoy-moves.ts')).convoyClose,
  'convoy.edit': async () => (await import('./handlers/convoy-moves.ts')).convoyEdit,
  'convoy.pause': async () => (await import('./handlers/convoy-moves.ts')).convoyPause,
  'convoy.resume': async () => (await import('./handlers/convoy-moves.ts')).convoyResume,
  'convoy.unwatch': async () => (await import('./handlers/convoy-moves.ts')).convoyUnwatch,
  'convoy.watch': async () => (await import('./handlers/convoy-moves.ts')).convoyWatch,
  'convoy.show': async () => (await import('./handlers/convoy-reads.ts')).convoyShow,
  'convoy.list': async () => (await import('./handlers/convoy-reads.ts')).convoysList,
  'convoy.launch': async () => (await import('./handlers/convoy-launch.ts')).convoyLaunch,
  'convoy.sling': async () => (await import('./handlers/convoy-sling.ts')).convoySling,
  'convoy.stage': async () => (await import('./handlers/convoy-stage.ts')).convoyStage,
  doctor: async () => (await import('./handlers/doctor.ts')).doctorNow,
  'session.start': async () => (await import('./handlers/login.ts')).loginStart,
  'session.end': async () => (await import('./handlers/login.ts')).sessionEnd,
  'session.show': async () => (await import('./handlers/login.ts')).sessionShow,
  'interchange.draft-ai': async () => (await import('./handlers/draft.ts')).draftWithAi,
  'interchange.draft': async () => (await import('./handlers/draft.ts')).draftCreate,
  'interchange.export': async () => (await import('./handlers/interchange.ts')).beadsExport,
  'interchange.import': async () => (await import('./handlers/interchange.ts')).beadsImport,
  'logs.read': async () => (await import('./handlers/logs.ts')).logsRead,
  'notification.list': async () => (await import('./handlers/notifications.ts')).notificationsList,
  'convoy.land': async () => (await import('./handlers/land.ts')).convoyLand,
  'convoy.landing': async () => (await import('./handlers/land.ts')).landingPreview,
  'review.list': async () => (await import('./handlers/reviews.ts')).reviewsList,
  'review.show': async () => (await import('./handlers/reviews.ts')).reviewsShow,
  'review.again': async () => (await import('./handlers/reviews.ts')).reviewsAgain,
  'queue.list': async () => (await import('./handlers/queue-reads.ts')).queueList,
  'queue.show': async () => (await import('./handlers/queue-reads.ts')).queueShow,
  'queue.retry': async () => (await import('./handlers/queue-moves.ts')).queueRetry,
  'queue.reject': async () => (await import('./handlers/queue-moves.ts')).queueReject,
  'queue.move': async () => (await import('./handlers/queue-moves.ts')).queueMove,
  'queue.pause': async () => (await import('./handlers/queue-pause.ts')).queuePause,
  'queue.resume': async () => (await import('./handlers/queue-pause.ts')).queueResume,
  'repo.add': async () => (await import('./handlers/repos.ts')).repoAdd,
  'repo.park': async () => (await import('./handlers/repos.ts')).repoPark,
  'repo.remove': async () => (await import('./handlers/repos.ts')).repoRemove,
  'repo.set': async () => (await import('./handlers/repos.ts')).repoSet,
  'repo.show': async () => (await import('./handlers/repos.ts')).repoShow,
  'repo.list': async () => (await import('./handlers/repos.ts')).reposList,
  'repo.unpark': async () => (await import('./handlers/repos.ts')).repoUnpark,
  'plan.make': async () => (await import('./handlers/ship-plans.ts')).planMake,
  'plan.list': async () => (await import('./handlers/ship-plans.ts')).plansList,
  'plan.show': async () => (await import('./handlers/ship-plans.ts')).planShow,
  'run.create': async () => (await import('./handlers/ship-apply.ts')).runCreate,
  'run.resume': async () => (await import('./handlers/ship-apply.ts')).runResume,
  'run.cancel': async () => (await import('./handlers/ship-apply.ts')).runCancel,
  'run.list': async () => (await import('./handlers/ship-runs.ts')).runsList,
  'run.show': async () => (await import('./handlers/ship-runs.ts')).runShow,
  'config.get': async () => (await import('./handlers/system.ts')).configGet,
  'config.set': async () => (await import('./handlers/system.ts')).configSet,
  'events.list': async () => (await import('./handlers/system.ts')).eventsList,
  health: async () => (await import('./handlers/system.ts')).healthNow,
  'id.resolve': async () => (await import('./handlers/system.ts')).idResolve,
  'ledger.info': async () => (await import('./handlers/system.ts')).ledgerNow,
  'ledger.verify': async () => (await import('./handlers/system.ts')).ledgerVerify,
  overview: async () => (await import('./handlers/system.ts')).overviewNow,
  'task.create': async () => (await import('./handlers/task-create.ts')).taskCreate,
  'task.dep.add': async () => (await import('./handlers/task-dependencies.ts')).dependencyAdd,
  'task.dep.rm': async () => (await import('./handlers/task-dependencies.ts')).dependencyRemove,
  'task.edit': async () => (await import('./handlers/task-edit.ts')).taskEdit,
  'task.close': async () => (await import('./handlers/task-ends.ts')).taskClose,
  'task.reopen': async () => (await import('./handlers/task-ends.ts')).taskReopen,
  'task.retry': async () => (await import('./handlers/task-ends.ts')).taskRetry,
  'task.skip': async () => (await import('./handlers/task-ends.ts')).taskSkip,
  'task.list': async () => (await import('./handlers/task-list.ts')).tasksList,
  'task.show': async () => (await import('./handlers/task-show.ts')).taskShow,
  'token.create': async () => (await import('./handlers/tokens.ts')).tokenCreate,
  'token.revoke': async () => (await import('./handlers/tokens.ts')).tokenRevoke,
  'token.list': async () => (await import('./handlers/tokens.ts')).tokensList,
  'convoy.stranded': async () => (await import('./handlers/why.ts')).strandedNow,
  why: async () => (await import('./handlers/why.ts')).whyIs,
  'worker.prime': async () => (await import('./handlers/worker.ts')).workerPrime,
  'worker.done': async () => (await import('./handlers/worker.ts')).workerDone,
  'worker.verdict': async () => (await import('./handlers/reviewer.ts')).reviewerVerdict,
  'worker.checkpoint': async () => (await import('./handlers/worker.ts')).workerCheckpoint,
  'worker.escalate': async () => (await import('./handlers/worker.ts')).workerEscalate,
  'worker.permission.ask': async () => (await import('./handlers/worker.ts')).workerPermissionAsk,
  'worker.permission.show': async () => (await import('./handlers/worker.ts')).workerPermissionShow,
};

/** The handler of one route; there is one for every route of the contract. */
export async function handlerOf(routeId: string): Promise<Handler> {
  const load = LOADERS[routeId];
  if (load === undefined) throw new Error(`Nobody answers ${routeId}`);
  return load();
}

/** All of them, for the server. */
export const allHandlers = (): Promise<Handler[]> =>
  Promise.all(Object.values(LOADERS).map((load) => load()));
