import type { Handler } from './context.ts';
import {
  approvalApprove,
  approvalReject,
  approvalShow,
  approvalsList,
} from './handlers/approvals.ts';
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
import { convoyStage } from './handlers/convoy-stage.ts';
import { doctorNow } from './handlers/doctor.ts';
import { loginStart, sessionEnd, sessionShow } from './handlers/login.ts';
import {
  repoAdd,
  repoPark,
  repoRemove,
  repoSet,
  repoShow,
  reposList,
  repoUnpark,
} from './handlers/repos.ts';
import { runCancel, runCreate, runResume } from './handlers/ship-apply.ts';
import { planMake, planShow, plansList } from './handlers/ship-plans.ts';
import { runShow, runsList } from './handlers/ship-runs.ts';
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
import { tokenCreate, tokenRevoke, tokensList } from './handlers/tokens.ts';
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
  whyIs,
  strandedNow,
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
  planMake,
  plansList,
  planShow,
  runCreate,
  runsList,
  runShow,
  runResume,
  runCancel,
  approvalsList,
  approvalShow,
  approvalApprove,
  approvalReject,
  tokenCreate,
  tokensList,
  tokenRevoke,
  loginStart,
  sessionShow,
  sessionEnd,
];
