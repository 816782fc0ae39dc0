// oxlint-disable typescript/no-unsafe-type-assertion -- the one place where text becomes an id
/** Ids are their own types, so that a convoy cannot be passed where a task is meant. */
export type TaskId = string & { readonly __id: 'task' };
export type ConvoyId = string & { readonly __id: 'convoy' };
export type AttemptId = string & { readonly __id: 'attempt' };
export type ChangeId = string & { readonly __id: 'change' };
export type RepoName = string & { readonly __id: 'repo' };

/** Milliseconds since 1970, the only form of time inside the core and the ledger. */
export type Instant = number;

export const taskId = (text: string): TaskId => text as TaskId;
export const convoyId = (text: string): ConvoyId => text as ConvoyId;
export const attemptId = (text: string): AttemptId => text as AttemptId;
export const changeId = (text: string): ChangeId => text as ChangeId;
export const repoName = (text: string): RepoName => text as RepoName;
