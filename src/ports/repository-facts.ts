/** What we ask of a repository before anything runs in it. */
export type RepositoryFacts = {
  /** The branch new work is based on by default, asked from git; null for no repository or no commit. */
  defaultBranch(path: string): Promise<string | null>;
  isRepository(path: string): Promise<boolean>;
  branchExists(path: string, branch: string): Promise<boolean>;
  /** How many commits `branch` has that `base` does not. */
  ahead(path: string, branch: string, base: string): Promise<number>;
};
