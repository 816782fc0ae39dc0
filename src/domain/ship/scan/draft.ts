import type { Ecosystem, Evidence, Hook, LaneKind, NotAService, PortBinding } from './lane.ts';

/** What an ecosystem's rules conclude about one project. */
export type Verdict =
  | { readonly is: 'service'; readonly drafts: readonly Draft[] }
  | {
      readonly is: 'other';
      readonly what: NotAService;
      readonly reason: string;
      readonly evidence: readonly Evidence[];
    };

/** A lane before the rules that all ecosystems share have filled in the rest. */
export interface Draft {
  readonly kind: LaneKind;
  readonly ecosystem: Ecosystem;
  readonly framework: string | null;
  readonly packageManager: string | null;
  readonly install: string | null;
  readonly installPath?: string;
  readonly build: string | null;
  readonly buildVia?: string | null;
  readonly start: string | null;
  readonly startVia?: string | null;
  readonly startEnv?: Readonly<Record<string, string>>;
  readonly hooks?: readonly Hook[];
  readonly staticDir?: string | null;
  readonly schedule?: string | null;
  /** Distinguishes lanes of one directory: `worker`, `cron`, a binary's name. */
  readonly role?: string;
  /** Overrides the project's directory, for lanes that share a manifest. */
  readonly path?: string;
  /** Files, relative to the project, where the process begins; asked first for ports and routes. */
  readonly entries?: readonly string[];
  /** False when the server decides the port, whatever the program text says. */
  readonly portInCode?: boolean;
  readonly defaultPort?: number;
  readonly defaultBinding?: PortBinding;
  readonly defaultHealth?: string;
  /** Names of packages the service depends on at run time, and the file that lists them. */
  readonly dependencies: readonly string[];
  readonly manifest: string;
  readonly evidence: readonly Evidence[];
}

export const service = (...drafts: readonly Draft[]): Verdict => ({ is: 'service', drafts });

export const other = (
  what: NotAService,
  reason: string,
  ...evidence: readonly Evidence[]
): Verdict => ({ is: 'other', what, reason, evidence });
