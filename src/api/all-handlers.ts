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
import { convoySling } from './handlers/convoy-sling.ts';
import { convoyStage } from './handlers/convoy-stage.ts';
import { doctorNow } from './handlers/doctor.ts';
import { draftCreate } from './handlers/draft.ts';
import { beadsExport, beadsImport } from './handlers/interchange.ts';
import { logsRead } from './handlers/logs.ts';
import { notificationsList } from './handlers/notifications.ts';
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
  convoySling,
  whyIs,
  strandedNow,
  reposList,
  repoAdd,
  repoShow,
  repoSet,
  repoPark,
  repoUnpark,
  repoRemove,
  beadsImport,
  beadsExport,
  draftCreate,
  logsRead,
  notificationsList,
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
