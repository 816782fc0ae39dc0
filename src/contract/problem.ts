/**
 * Every kind of no that reaches a person or a program, with the HTTP status and the exit code it
 * always has. Codes of single problems are finer (`task_not_found`); kinds are few and stable.
 */
export const PROBLEM_KINDS = {
  /** The request itself is wrong: a bad flag, a malformed body, a broken configuration. */
  invalid: { status: 400, exit: 2 },
  /** Nobody said who is asking. */
  unauthenticated: { status: 401, exit: 1 },
  /** The one who asks may not do this. */
  forbidden: { status: 403, exit: 1 },
  not_found: { status: 404, exit: 3 },
  /** Already exists, already tracked, changed meanwhile, ambiguous. */
  conflict: { status: 409, exit: 4 },
  /** Understood, and not allowed now. */
  refused: { status: 422, exit: 1 },
  too_many: { status: 429, exit: 1 },
  /** We failed: a bug, a full disk, an unreadable ledger. */
  internal: { status: 500, exit: 1 },
  /** Something we need does not answer at the moment. */
  unavailable: { status: 503, exit: 1 },
} as const;
export type ProblemKind = keyof typeof PROBLEM_KINDS;

/** What happened, why, and what to do next. */
export type Problem = {
  readonly kind: ProblemKind;
  /** Stable snake_case word that programs may test. */
  readonly code: string;
  readonly message: string;
  readonly cause?: string;
  readonly remedy?: string;
  /** Fields of the request that are wrong, for forms and agents. */
  readonly fields?: readonly { readonly path: string; readonly message: string }[];
  readonly ids?: readonly string[];
  /** What the command prints beside the error, for example the findings of a stage. */
  readonly details?: unknown;
};

export const exitCodeOf = (problem: Problem): number => PROBLEM_KINDS[problem.kind].exit;
