/** The machine we run on, as far as `doctor` and the guards ask about it. */
export type Machine = {
  /** The first line a tool prints about its version, or why it cannot be run. */
  version(
    argv: readonly string[],
  ): Promise<{ found: true; text: string } | { found: false; why: string }>;
  /** Where a command would be found on the PATH, or null. */
  which(command: string): string | null;
  /** Bytes that may still be written below a directory. */
  freeBytes(directory: string): Promise<number>;
  freeMemoryBytes(): number;
  isAlive(pid: number): boolean;
  readonly nodeVersion: string;
  readonly platform: string;
};
