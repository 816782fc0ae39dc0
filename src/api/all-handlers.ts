import type { Handler } from './context.ts';
import { convoyCreate } from './handlers/convoy-create.ts';
import { convoyAdd, convoyRemove } from './handlers/convoy-members.ts';
import {
  convoyCancel,
  convoyClose,
  convoyEdit,
  convoyPause,
  convoyResume,
  convoyUnwatch,
  convoyWatch,
} from './handlers/convoy-moves.ts';
import { convoyShow, convoysList } from './handlers/convoy-reads.ts';
import { convoyLaunch } from './handlers/convoy-launch.ts';
import { convoyStage } from './handlers/convoy-stage.ts';
import { queueMove, queueReject, queueRetry } from './handlers/queue-moves.ts';
import { queuePause, queueResume } from './handlers/queue-pause.ts';
import { queueList, queueShow } from './handlers/queue-reads.ts';
import { doctorNow } from './handlers/doctor.ts';
import {
  repoAdd,
  repoPark,
  repoRemove,
  repoSet,
  repoShow,
  reposList,
  repoUnpark,
} from './handlers/repos.ts';
import {
  configGet,
  configSet,
  eventsList,
  healthNow,
  idResolve,
  ledgerNow,
  ledgerVerify,
  overviewNow,
} from './handlers/system.ts';
import { taskCreate } from './handlers/task-create.ts';
import { dependencyAdd, dependencyRemove } from './handlers/task-dependencies.ts';
import { taskEdit } from './handlers/task-edit.ts';
import { taskClose, taskReopen, taskRetry, taskSkip } from './handlers/task-ends.ts';
import { tasksList } from './handlers/task-list.ts';
import { taskShow } from './handlers/task-show.ts';
import { strandedNow, whyIs } from './handlers/why.ts';

/** Every handler there is; a test holds this against the contract. */
export const allHandlers: readonly Handler[] = [
  taskCreate,
  tasksList,
  taskShow,
  taskEdit,
  taskClose,
  taskReopen,
  taskRetry,
  taskSkip,
  dependencyAdd,
  dependencyRemove,
  convoyCreate,
  convoysList,
  convoyShow,
  convoyEdit,
  convoyAdd,
  convoyRemove,
  convoyPause,
  convoyResume,
  convoyClose,
  convoyCancel,
  convoyWatch,
  convoyUnwatch,
  convoyStage,
  convoyLaunch,
  whyIs,
  strandedNow,
  queueList,
  queueShow,
  queueRetry,
  queueReject,
  queueMove,
  queuePause,
  queueResume,
  reposList,
  repoAdd,
  repoShow,
  repoSet,
  repoPark,
  repoUnpark,
  repoRemove,
  healthNow,
  overviewNow,
  eventsList,
  ledgerNow,
  ledgerVerify,
  configGet,
  configSet,
  doctorNow,
  idResolve,
];
