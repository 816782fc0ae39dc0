/** Every place between an effect and its record where a crash must do no harm. */
export const CRASH_POINTS = [
  'attempt-opened',
  'worktree-made',
  'attempt-running',
  'process-started',
  'process-ended',
  'work-harvested',
  'attempt-recorded',
  'worktree-released',
  'verification-recorded',
  'gates-answered',
  'verification-ended',
  'answer-kept',
  'landing-planned',
  'landing-intended',
  'target-moved',
  'landing-done',
  'convoy-settling',
  'landing-enqueued',
] as const;

/** Those that only a workspace with a remote or a reviewer passes. */
export const QUEUE_CRASH_POINTS = [
  'target-pushed',
  'review-started',
  'reviewer-running',
  'review-said',
  'review-answered',
] as const;

/** The same on the way through a pull request; only a repo that delivers by them comes past. */
export const PULL_CRASH_POINTS = [
  'proposal-intended',
  'branch-pushed',
  'pull-created',
  'merge-intended',
  'pull-merged',
  'pull-closed',
] as const;
/** The same where branches of our own also live on a remote. */
export const REMOTE_CRASH_POINTS = [
  'branches-pending',
  'remotes-asked',
  'branches-named',
  'branch-wanted',
  'branch-sent',
  'branches-settled',
  'branch-unwanted',
  'branch-deleted',
] as const;
export type CrashPoint = (
  | typeof CRASH_POINTS
  | typeof QUEUE_CRASH_POINTS
  | typeof PULL_CRASH_POINTS
  | typeof REMOTE_CRASH_POINTS
)[number];

let passed = 0;
let watcher: ((name: CrashPoint) => void) | null = null;

/** Lets a simulation of the engine see every passing and end a life there; null ends the watch. */
export function watchCrashPoints(passing: ((name: CrashPoint) => void) | null): void {
  watcher = passing;
}

/** Kills this process at a named place, for tests: `CONVOY_CRASH_AT=name` or `name:n` for the n-th passing. */
export function crashPoint(name: CrashPoint): void {
  watcher?.(name);
  const wished = process.env['CONVOY_CRASH_AT'];
  if (wished === undefined) return;
  const [at, count = '1'] = wished.split(':');
  if (at !== name) return;
  passed += 1;
  if (passed === Number(count)) process.kill(process.pid, 'SIGKILL');
}
