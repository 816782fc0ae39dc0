/** A program that is started, fed and read to its end. */
export type LaunchSpec = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  /** Output beyond this ends the program. */
  readonly mostBytes: number;
};

export type LaunchEnd =
  | {
      readonly kind: 'ended';
      readonly code: number | null;
      readonly signal: string | null;
      readonly stdout: Buffer;
      readonly stderr: string;
      /** There was more output than wanted; it is cut off. */
      readonly full: boolean;
    }
  | { readonly kind: 'not-started'; readonly code: string; readonly message: string };

export type Launched = {
  readonly end: Promise<LaunchEnd>;
  /** Ends the program and everything it started. */
  kill(): void;
};

export type Launch = (spec: LaunchSpec) => Launched;
