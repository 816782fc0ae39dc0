import type { ConvoyId, Instant, TaskId } from '../work/ids.ts';
import { type Convoy, type ConvoyOptions, isStaged, NO_OPTIONS } from './convoy.ts';

/** A convoy on the day it is made: staged, or open and only tracking. */
export function newConvoy(
  id: ConvoyId,
  draft: {
    title: string;
    status: 'staged_ready' | 'staged_warnings' | 'open';
    epic: TaskId | null;
    options: Partial<ConvoyOptions>;
    by: string;
    at: Instant;
    waveCount: number | null;
  },
): Convoy {
  const { title, status, epic, options, by, at, waveCount } = draft;
  return {
    id,
    title,
    status,
    feeding: false,
    reason: null,
    epic,
    options: { ...NO_OPTIONS, ...options },
    watchers: [],
    taskCount: 0,
    waveCount,
    createdAt: at,
    createdBy: by,
    stagedAt: isStaged(status) ? at : null,
    launchedAt: null,
    endedAt: null,
    epoch: 0,
  };
}
