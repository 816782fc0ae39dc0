import { type Branch, type BranchEvent, evolveBranch } from '../remote/branch.ts';
import { evolveRepo, type RepoEvent, type RepoState } from '../repo/repo-state.ts';
import type { Entry, Notice } from './notice.ts';
import { oneLine, type Telling } from './tell.ts';

/** Something has not got through to a remote several times in a row. */
export type PushNotice = Notice & {
  readonly repo: string;
  /** The branch that is refused; null when nothing gets through at all. */
  readonly branch: string | null;
  readonly convoy: string | null;
};

/** Each time the remote of a repo stopped to answer, told once for as long as that lasts. */
export function originNotices(subject: string, history: readonly Entry<RepoEvent>[]): PushNotice[] {
  const notices: PushNotice[] = [];
  let repo: RepoState | null = null;
  for (const { seq, at, event } of history) {
    const wasTold = repo?.origin?.trouble?.repeated === true;
    repo = evolveRepo(repo, event, at);
    if (event.type !== 'origin-troubled' || !event.repeated || wasTold) continue;
    const { reason, name } = event;
    const what = { repo: name, branch: null, convoy: null };
    notices.push({ subject, kind: 'push_failing', epoch: seq, seq, at, reason, ...what });
  }
  return notices;
}

/** The same for one branch that a remote does not take. */
export function branchNotices(
  subject: string,
  history: readonly Entry<BranchEvent>[],
): PushNotice[] {
  const notices: PushNotice[] = [];
  let branch: Branch | null = null;
  for (const { seq, at, event } of history) {
    const wasTold = branch?.trouble?.repeated === true;
    branch = evolveBranch(branch, event, at);
    if (event.type !== 'branch-troubled' || !event.repeated || wasTold) continue;
    const { reason } = event;
    const { repo, name, convoy } = branch;
    const what = { repo, branch: name, convoy };
    notices.push({ subject, kind: 'push_failing', epoch: seq, seq, at, reason, ...what });
  }
  return notices;
}

/** Says what does not get through, and that nothing needs to be done again by hand. */
export function tellPush({ repo, branch, convoy, reason }: PushNotice): Telling {
  const why = oneLine(reason ?? 'origin gives no answer');
  return {
    title: `Push failing: ${repo}: ${why}`,
    text: [
      branch === null
        ? `Branches of ${repo} wait until origin answers; convoys that have not begun wait too.`
        : `${oneLine(branch)} waits; everything else goes on.`,
      'It is tried again by itself.',
      convoy === null ? 'convoy status' : `convoy status ${convoy}`,
    ].join('\n'),
  };
}
