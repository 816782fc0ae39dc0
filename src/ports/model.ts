/** A language model that answers in turns and may use the tools it is given. */
export interface Model {
  converse(conversation: Conversation): Promise<Ending>;
}

export type Conversation = {
  /** What the model is and which rules hold; never holds text from outside. */
  readonly instructions: string;
  readonly question: string;
  readonly tools: readonly ModelTool[];
  readonly limits: ModelLimits;
  /** From this turn on (the first is 1) only this tool is offered. */
  readonly closing?: { readonly tool: string; readonly from: number };
  /** Asked after every turn with a tool in it; true ends the conversation. */
  readonly isEnough?: () => boolean;
  /** What to say to a turn without a tool; null lets the conversation end there. */
  readonly reply?: (text: string) => string | null;
  readonly onEvent?: (event: ModelEvent) => void;
  readonly signal?: AbortSignal;
};

export type ModelTool = {
  readonly name: string;
  readonly description: string;
  /** A JSON schema; it helps the model and proves nothing, so `run` checks what it gets. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly run: (input: unknown) => Promise<string>;
};

/** None of these is ever passed: a turn that could do so is not asked. */
export type ModelLimits = {
  readonly turns: number;
  /** In and out together. */
  readonly tokens: number;
  readonly usd: number;
  readonly ms: number;
};

export type Usage = {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
};

/** How a conversation went out. */
export type Ending = EndingKind & { readonly usage: Usage };

type EndingKind =
  /** The model said its last word. */
  | { readonly kind: 'answered'; readonly text: string }
  /** The caller had what it wanted. */
  | { readonly kind: 'enough' }
  /** The answer was cut off in the middle. */
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'limit'; readonly limit: keyof ModelLimits }
  | { readonly kind: 'errored'; readonly problem: ModelProblem }
  | { readonly kind: 'stopped' };

/** Why there was no answer; its message names neither the key nor the model. */
export type ModelProblem = {
  readonly kind:
    | 'unauthorised'
    | 'not-found'
    | 'rejected'
    | 'busy'
    | 'unavailable'
    | 'unreachable'
    | 'timeout'
    | 'garbled';
  readonly status: number | null;
  readonly message: string;
};

export type ModelEvent =
  | { readonly type: 'turn-started'; readonly turn: number }
  | { readonly type: 'said'; readonly turn: number; readonly text: string }
  | ({ readonly type: 'tool-called'; readonly input: unknown } & Called)
  | ({ readonly type: 'tool-answered'; readonly output: string } & Called)
  | ({ readonly type: 'tool-refused'; readonly reason: string } & Called)
  | {
      readonly type: 'retrying';
      readonly turn: number;
      readonly problem: ModelProblem;
      readonly waitMs: number;
    }
  | { readonly type: 'turn-ended'; readonly turn: number; readonly usage: Usage };

type Called = { readonly turn: number; readonly call: string; readonly tool: string };
