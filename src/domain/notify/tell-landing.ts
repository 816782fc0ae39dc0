import type { ConflictNotice, QueueNotice, RejectionNotice } from './landing-notices.ts';
import { count, duration, oneLine, section, type Telling } from './tell.ts';

/** Says what a reviewer would not let pass. */
export function tellRejection({ convoy, what, by, findings }: RejectionNotice): Telling {
  const listed = findings.map(({ file, line, severity, text }) => {
    const where = file === null ? '' : ` ${oneLine(file)}${line === null ? '' : `:${line}`}`;
    return `${severity}${where}: ${oneLine(text)}`;
  });
  return {
    title: `Review rejected: ${what} of ${convoy}, by ${oneLine(by)}`,
    text: [...section('Found', listed), `convoy status ${convoy}`].join('\n'),
  };
}

/** Says how long nobody has resolved a conflict, and where it is. */
export function tellConflict({ change, since, at }: ConflictNotice): Telling {
  const { id, task, target } = change;
  const paths = change.status === 'conflicted' ? change.conflict.paths : [];
  return {
    title: `Conflict ageing: ${task} conflicts with ${target} for ${duration(at - since)}`,
    text: [...section('Files', paths.map(oneLine)), `convoy queue show ${id}`].join('\n'),
  };
}

/** Says that a queue did not move, and that it was started again. */
export function tellQueue({ queue, quietMs, reason }: QueueNotice): Telling {
  const { repo, target } = queue;
  return {
    title: `Stalled: the queue of ${repo} for ${target} has not moved for ${duration(quietMs)}`,
    text: [
      `It was started again. ${oneLine(reason ?? '')}`.trim(),
      `${count(queue.merged, 'change')} merged and ${queue.red} red so far.`,
      `convoy queue list --repo ${repo} --target ${target}`,
    ].join('\n'),
  };
}
