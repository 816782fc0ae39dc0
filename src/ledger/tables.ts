import type { Generated } from 'kysely';

/** The ledger's tables as Kysely sees them: text, integers and JSON as text, the same on both engines. */
export type Tables = {
  event: EventTable;
  task: TaskTable;
  dependency: DependencyTable;
  task_label: { task: string; label: string };
  convoy: ConvoyTable;
  convoy_task: { convoy: string; task: string };
  repo_state: { name: string; version: number; parked: string | null; state: string };
  token: TokenTable;
  approval: ApprovalTable;
  attempt: AttemptTable;
  change: ChangeTable;
  queue: { id: string; version: number; repo: string; target: string; state: string };
  gate_answer: GateAnswerTable;
  run: RunTable;
  notification: NotificationTable;
  delivery: DeliveryTable;
  review: {
    id: string;
    version: number;
    status: string;
    convoy: string;
    repo: string;
    state: string;
  };
  branch: {
    id: string;
    version: number;
    status: string;
    repo: string;
    convoy: string;
    state: string;
  };
  meta: { key: string; value: string };
  idempotency: IdempotencyTable;
  lease: LeaseTable;
};

type EventTable = {
  /** Order of insertion; says nothing to readers. */
  id: Generated<number>;
  /** Order of the feed; null until sealed. */
  seq: number | null;
  subject: string;
  version: number;
  kind: string;
  data: string;
  actor: string;
  at: number;
  hash: string | null;
};

type TaskTable = {
  id: string;
  version: number;
  status: string;
  type: string;
  repo: string | null;
  title: string;
  priority: number;
  parent: string | null;
  assignee: string | null;
  estimate_minutes: number | null;
  created_at: number;
  updated_at: number;
  state: string;
};

type DependencyTable = {
  task: string;
  on_task: string;
  kind: string;
  level: string | null;
  children: string | null;
};

type ConvoyTable = {
  id: string;
  version: number;
  status: string;
  title: string;
  feeding: number;
  epic: string | null;
  created_at: number;
  ended_at: number | null;
  state: string;
};

type TokenTable = {
  id: string;
  version: number;
  hash: string;
  use: string;
  role: string;
  name: string;
  subject: string | null;
  parent: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  state: string;
};

type ApprovalTable = {
  id: string;
  version: number;
  kind: string;
  subject: string;
  lane: string | null;
  subject_hash: string;
  status: string;
  requested_at: number;
  state: string;
};

type AttemptTable = {
  id: string;
  version: number;
  status: string;
  task: string;
  convoy: string;
  repo: string;
  agent: string;
  created_at: number;
  state: string;
};

type ChangeTable = {
  id: string;
  version: number;
  status: string;
  queue: string;
  task: string;
  convoy: string | null;
  enqueued_at: number;
  state: string;
};

/** What a set of gates said about a tree: the same tree is never tested twice. */
type GateAnswerTable = {
  repo: string;
  tree: string;
  /** Fingerprint of the gates that were run. */
  gates: string;
  colour: string;
  base: string;
  members: string;
  gate: string | null;
  log: string | null;
  at: number;
};

type RunTable = {
  id: string;
  version: number;
  status: string;
  plan: string;
  created_at: number;
  state: string;
};

/** Something people are told, once per subject, kind and epoch. */
type NotificationTable = {
  id: string;
  subject: string;
  kind: string;
  epoch: number;
  /** The event that gave cause. */
  seq: number;
  at: number;
  title: string;
  body: string;
  facts: string;
};

/** What became of telling one reader. */
type DeliveryTable = {
  notification: string;
  target: string;
  seq: number;
  /** The message it travels in, shared by the parts of a digest. */
  message: string;
  status: string;
  tries: number;
  next_at: number | null;
  /** Names the newest send; only its sender may write down how it ended. */
  claim: string | null;
  claim_until: number | null;
  error: string | null;
  updated_at: number;
};

type IdempotencyTable = {
  key: string;
  actor: string;
  route: string;
  request: string;
  response: string;
  at: number;
};

type LeaseTable = {
  name: string;
  holder: string;
  fence: number;
  expires_at: number;
};
