import type { PlannedFile } from '../author/author-plan.ts';
import type { Choice } from '../pick/pick.ts';
import type { laneJson } from '../scan/lane-json.ts';
import type { Evidence, Passed, PlatformName, Risk } from '../scan/lane.ts';

/** The stages this program can really perform, in their order. */
export const SHIP_STAGES = ['scan', 'pick', 'rehearse', 'author', 'secrets'] as const;
export type ShipStage = (typeof SHIP_STAGES)[number];

/**
 * What apply would do, exactly. It is kept as a file and read by people and programs, so its fields
 * carry the names of the contract.
 */
export type Plan = PlanBody & {
  /** Made of the hash: the same repository in the same state gives the same plan. */
  readonly id: string;
  /** Over everything but id, hash, time and wording. */
  readonly hash: string;
  readonly created_at: string;
};

export type PlanBody = {
  readonly repo: PlanRepo;
  readonly options: PlanOptions;
  readonly deployable: boolean;
  readonly reason: string;
  readonly summary: string;
  readonly narrative: string;
  /** Whose words summary and narrative are, and why they are not a model's; no part of the hash. */
  readonly wording: { readonly by: 'template' | 'model'; readonly because: string | null };
  readonly lanes: readonly PlanLane[];
  /** Parts that were looked at and are no service. */
  readonly passed: readonly Passed[];
  readonly evidence: readonly Evidence[];
  readonly monorepo: readonly string[];
  readonly files: readonly PlanFile[];
  readonly steps: readonly PlanStep[];
  readonly approvals: readonly PlanApproval[];
  readonly rollback: readonly { readonly step: string; readonly text: string }[];
  /** Names only, never values. */
  readonly secrets: readonly { readonly lane: string; readonly name: string }[];
  readonly staging: PlanStaging;
  readonly thresholds: PlanThresholds;
  readonly risks: readonly Risk[];
};

export type PlanRepo = RepositoryMark & {
  readonly name: string;
  /** The working tree, absolute. */
  readonly path: string;
  /** What was asked for: the same path, an address, or owner/name. */
  readonly source: string;
  readonly origin: 'directory' | 'clone';
};

/** The state of a working tree in a few words; two equal marks mean the same content. */
export type RepositoryMark = {
  /** Null before the first commit and outside git. */
  readonly sha: string | null;
  /** When that commit was made. */
  readonly committed_at: string | null;
  readonly branch: string | null;
  readonly git: boolean;
  /** Where the tree is inside its repository; `.` is the top. */
  readonly prefix: string;
  readonly remote: string | null;
  /** Paths that differ from the commit. */
  readonly dirty: readonly string[];
  readonly dirty_digest: string;
};

export type PlanOptions = {
  readonly platform: PlatformName | null;
  readonly demo: boolean;
  /** Lanes by name or directory; empty: all. */
  readonly parts: readonly string[];
  readonly fly_app: string | null;
};

/** Which secrets are handed to which platform; names only. */
export type PlanStaging = {
  readonly file: string;
  readonly state: 'absent' | 'refused' | 'read';
  /** Why the file is refused. */
  readonly reason: string | null;
  readonly lanes: readonly {
    readonly lane: string;
    readonly platform: PlatformName;
    readonly staged: readonly string[];
    readonly by_hand: readonly string[];
    readonly missing: readonly string[];
  }[];
};

export type PlanLane = ReturnType<typeof laneJson> & { readonly platform: PlanPlatform };

export type PlanPlatform = {
  readonly chosen: PlatformName;
  readonly reason: string;
  readonly scores: Choice['scores'];
  readonly reasons: Choice['reasons'];
  readonly decided_by: Choice['decidedBy'];
  /** What a person wants the application to be called there. */
  readonly app?: string;
};

/** A file the author would write, whole; its path is told from the top of the repository. */
export type PlanFile = PlannedFile;

export type PlanStep = {
  /** `<stage>` or `<stage>:<lane>`. */
  readonly id: string;
  readonly stage: ShipStage;
  readonly lane: string | null;
  readonly does: string;
  readonly commands: readonly string[];
  readonly probes: readonly string[];
  readonly rollback: string;
};

export type PlanApproval = {
  readonly kind: 'open_pr' | 'merge_pr' | 'stage_secrets';
  readonly lane: string | null;
  readonly before: string;
  readonly summary: string;
};

export type PlanThresholds = {
  readonly max_error_rate: number;
  readonly max_p99_ms: number;
  readonly load: {
    readonly rate: number;
    readonly seconds: number;
    readonly warmup_seconds: number;
  };
};
