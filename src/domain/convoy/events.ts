import type { Instant, TaskId } from '../work/ids.ts';
import type { BudgetLevel } from './budget.ts';
import type { Convoy, ConvoyOptions, ConvoyStatus } from './convoy.ts';

export type ConvoyCommand =
  | {
      readonly type: 'restage';
      readonly verdict: 'staged_ready' | 'staged_warnings';
      readonly title: string;
      readonly tasks: readonly TaskId[];
      readonly members: readonly TaskId[];
      readonly waveCount: number;
      readonly options: Partial<ConvoyOptions>;
    }
  | {
      readonly type: 'edit';
      readonly title: string | null;
      readonly options: Partial<ConvoyOptions>;
    }
  | { readonly type: 'track'; readonly tasks: readonly TaskId[] }
  | { readonly type: 'untrack'; readonly tasks: readonly TaskId[] }
  /** There is work in it again. */
  | { readonly type: 'reopen' }
  | { readonly type: 'launch'; readonly force: boolean }
  | { readonly type: 'feed' }
  | { readonly type: 'pause'; readonly reason: string }
  | { readonly type: 'resume' }
  | { readonly type: 'stall'; readonly reason: string }
  | { readonly type: 'name-branches'; readonly slug: string }
  /** Its branch has to be on the remotes of its repos before anything starts. */
  | { readonly type: 'await-branches'; readonly reason: string; readonly held: boolean }
  | { readonly type: 'settle-branches' }
  | { readonly type: 'ask-landing'; readonly keepWorktrees: boolean }
  | { readonly type: 'start-landing' }
  | { readonly type: 'stop-landing'; readonly reason: string }
  | { readonly type: 'land' }
  | { readonly type: 'close'; readonly reason: string }
  | { readonly type: 'cancel'; readonly reason: string }
  | {
      readonly type: 'note-budget';
      readonly level: BudgetLevel;
      readonly words: string;
      readonly stops: boolean;
    }
  | { readonly type: 'watch'; readonly name: string }
  | { readonly type: 'unwatch'; readonly name: string };

export type ConvoyEvent =
  | { readonly type: 'convoy-created'; readonly convoy: Convoy }
  | {
      readonly type: 'convoy-restaged';
      readonly verdict: 'staged_ready' | 'staged_warnings';
      readonly title: string;
      readonly waveCount: number;
    }
  | {
      readonly type: 'convoy-edited';
      readonly title: string | null;
      readonly options: Partial<ConvoyOptions>;
    }
  | { readonly type: 'tasks-tracked'; readonly tasks: readonly TaskId[] }
  | { readonly type: 'tasks-untracked'; readonly tasks: readonly TaskId[] }
  | { readonly type: 'convoy-launched'; readonly forced: boolean }
  | { readonly type: 'convoy-feeding' }
  | { readonly type: 'convoy-paused'; readonly reason: string }
  | { readonly type: 'convoy-resumed' }
  | { readonly type: 'convoy-stalled'; readonly reason: string }
  | { readonly type: 'branches-named'; readonly slug: string }
  | { readonly type: 'branches-pending'; readonly reason: string; readonly held: boolean }
  | { readonly type: 'branches-settled' }
  | { readonly type: 'landing-asked'; readonly keepWorktrees?: boolean }
  | { readonly type: 'landing-started' }
  | { readonly type: 'landing-stopped'; readonly reason: string }
  | { readonly type: 'convoy-landed' }
  | { readonly type: 'convoy-closed'; readonly reason: string }
  | { readonly type: 'convoy-cancelled'; readonly reason: string }
  | { readonly type: 'convoy-reopened' }
  | { readonly type: 'budget-near'; readonly words: string }
  | { readonly type: 'budget-spent'; readonly words: string; readonly stops: boolean }
  | { readonly type: 'budget-freed' }
  | { readonly type: 'watcher-added'; readonly name: string }
  | { readonly type: 'watcher-removed'; readonly name: string };

export type ConvoyRefusal =
  | {
      readonly kind: 'wrong-state';
      readonly command: string;
      readonly status: ConvoyStatus;
      readonly allowed: readonly ConvoyStatus[];
    }
  | { readonly kind: 'warnings-need-force' }
  | { readonly kind: 'already-launched'; readonly since: Instant | null };
