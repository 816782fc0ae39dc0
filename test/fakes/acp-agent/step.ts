/** What the fake agent is and does; every step happens inside its first prompt. */
export type FakePlan = {
  readonly steps: readonly Step[];
  /** The version it answers; ours when left out. */
  readonly version?: number;
  /** It can load a session, and keeps what it was told in this file. */
  readonly sessions?: string;
  /** What it does instead of answering `initialize`. */
  readonly hello?: 'hang' | 'garbage' | 'exit' | 'later';
  /** It wants to be told to log in first, by one of these ways. */
  readonly login?: readonly string[];
};

export type Step =
  | { readonly do: 'say' | 'think' | 'print' | 'complain'; readonly text: string }
  /** Says which MCP servers it was offered. */
  | { readonly do: 'servers' }
  | { readonly do: 'plan'; readonly entries: readonly [string, 'pending' | 'completed'][] }
  | { readonly do: 'usage'; readonly used: number; readonly usd: number }
  | { readonly do: 'write'; readonly path: string; readonly content: string }
  | { readonly do: 'fs-write'; readonly path: string; readonly content: string }
  | {
      readonly do: 'fs-read';
      readonly path: string;
      readonly line?: number;
      readonly limit?: number;
    }
  | { readonly do: 'commit'; readonly message: string }
  | {
      /** Asks first, writes the file when it may. */
      readonly do: 'ask';
      readonly kind: 'edit' | 'execute' | 'switch_mode' | 'other';
      readonly path?: string;
      readonly input?: Readonly<Record<string, unknown>>;
      readonly options?: readonly ('allow_once' | 'allow_always' | 'reject_once')[];
    }
  | { readonly do: 'strange' }
  | { readonly do: 'flood'; readonly lines: number; readonly as: 'garbage' | 'updates' | 'stderr' }
  | { readonly do: 'crash'; readonly code?: number; readonly signal?: NodeJS.Signals }
  | { readonly do: 'hang'; readonly ignoreTerm?: boolean }
  | { readonly do: 'fail'; readonly message: string; readonly data?: unknown }
  | {
      readonly do: 'stop';
      readonly reason: 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled';
    };
