/** A directory that may be looked at and never changed. */
export interface FileTree {
  /** Name of the root directory. */
  readonly name: string;
  list(): Promise<Listing>;
  /** The text of a file, at most its first 256 KB; undefined when it is absent, binary or outside. */
  read(path: string): Promise<string | undefined>;
}

export interface Listing {
  /** Paths relative to the root with forward slashes. */
  readonly files: readonly string[];
  /** True when the walk stopped at its limit. */
  readonly truncated: boolean;
}
