import { err, ok, type Result } from '../lib/result.ts';
import type {
  Forge,
  ForgeAnswer,
  ForgeProblem,
  MergeWish,
  NotMergeable,
  PullRequest,
  PullRequestState,
} from '../ports/forge.ts';
import type { MemoryOrigin } from './memory-origin.ts';
import type { ObjectStore } from './object-store.ts';

/** Pull requests in memory, on the branches of an origin, and the people who look at them. */
export type MemoryForge = {
  readonly port: Forge;
  /** What it answers to everything, as long as it is set. */
  problem: ForgeProblem | null;
  /** The next answer is lost after the work is done. */
  losesNext: boolean;
  /** Nothing is merged without an approval. */
  isProtected: boolean;
  /** The numbers of those that are open. */
  open(): number[];
  /** How many people have merged by themselves. */
  mergedByPeople(): number;
  review(number: number, word: 'approved' | 'changes_requested'): void;
  check(number: number, name: string, conclusion: 'success' | 'failure' | null): void;
  closeByHand(number: number): void;
  /** The commit it gave, or null when it does not merge. */
  mergeByHand(number: number): string | null;
};

type Pull = {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  state: PullRequest['state'];
  body: string;
  /** Where its branch was when it ended. */
  lastHead: string;
  mergeCommit: string | null;
  endedBy: string | null;
  review: PullRequestState['review'];
  readonly checks: Map<string, 'success' | 'failure' | null>;
};

const OURS = 'convoy';
const PERSON = 'mona';
const AWAY: ForgeProblem = { kind: 'unreachable', detail: 'it is away' };

export function memoryForge(
  store: ObjectStore,
  origin: MemoryOrigin,
  now: () => number,
): MemoryForge {
  const desk = new Desk(store, origin, now);
  const hub: MemoryForge = {
    port: portOf(desk, () => {
      if (hub.problem !== null) return { before: hub.problem, after: null };
      const after = hub.losesNext ? AWAY : null;
      hub.losesNext = false;
      return { before: origin.isUp ? null : AWAY, after };
    }),
    problem: null,
    losesNext: false,
    get isProtected() {
      return desk.isProtected;
    },
    set isProtected(isIt) {
      desk.isProtected = isIt;
    },
    open: () => desk.pulls.filter(({ state }) => state === 'open').map(({ number }) => number),
    mergedByPeople: () =>
      desk.pulls.filter(({ state, endedBy }) => state === 'merged' && endedBy === PERSON).length,
    review(number, word) {
      const pull = desk.named(number);
      if (pull !== null) pull.review = word;
    },
    check: (number, name, conclusion) => void desk.named(number)?.checks.set(name, conclusion),
    closeByHand(number) {
      const pull = desk.named(number);
      if (pull?.state === 'open') desk.end(pull, 'closed', PERSON);
    },
    mergeByHand(number) {
      const pull = desk.named(number);
      const merged = pull === null ? null : desk.merge(pull, 'merge', PERSON);
      return merged?.ok === true ? merged.value.commit : null;
    },
  };
  return hub;
}

/** What the forge knows, without the way to it. */
class Desk {
  readonly pulls: Pull[] = [];
  isProtected = false;
  readonly #store: ObjectStore;
  readonly #origin: MemoryOrigin;
  readonly #now: () => number;

  constructor(store: ObjectStore, origin: MemoryOrigin, now: () => number) {
    this.#store = store;
    this.#origin = origin;
    this.#now = now;
  }

  named(number: number): Pull | null {
    return this.pulls.find((pull) => pull.number === number) ?? null;
  }

  head({ state, branch, lastHead }: Pull): string {
    return state === 'open' ? (this.#origin.branches.get(branch) ?? lastHead) : lastHead;
  }

  create({ branch, base, body }: Pick<Pull, 'branch' | 'base' | 'body'>): Pull | null {
    const lastHead = this.#origin.branches.get(branch);
    const isOpen = this.pulls.some((pull) => pull.branch === branch && pull.state === 'open');
    if (lastHead === undefined || isOpen) return null;
    const pull: Pull = {
      number: this.pulls.length + 1,
      branch,
      base,
      body,
      lastHead,
      state: 'open',
      mergeCommit: null,
      endedBy: null,
      review: 'none',
      checks: new Map(),
    };
    this.pulls.push(pull);
    return pull;
  }

  end(pull: Pull, state: 'closed' | 'merged', by: string): void {
    pull.lastHead = this.head(pull);
    pull.state = state;
    pull.endedBy = by;
  }

  merge(
    pull: Pull,
    strategy: MergeWish['strategy'],
    by: string,
  ): Result<{ commit: string }, NotMergeable> {
    if (pull.state === 'merged') return ok({ commit: pull.mergeCommit ?? '' });
    if (pull.state === 'closed') return err('closed');
    if (this.isProtected && pull.review !== 'approved') return err('protected');
    const tree = this.tree(pull);
    if (tree === null) return err('conflict');
    const [onto, head] = [this.#origin.branches.get(pull.base) ?? '', this.head(pull)];
    const parents = strategy === 'merge' ? [onto, head] : [onto];
    const words = `Merge pull request #${pull.number}`;
    const commit = this.#store.commit(this.#store.files(tree), parents, words, this.#now());
    this.#origin.branches.set(pull.base, commit);
    pull.mergeCommit = commit;
    this.end(pull, 'merged', by);
    return ok({ commit });
  }

  /** What merging it would give, or null when it collides. */
  tree(pull: Pull): string | null {
    const base = this.#origin.branches.get(pull.base) ?? '';
    const merged = this.#store.merge(base, this.head(pull));
    return merged.kind === 'tree' ? merged.tree : null;
  }

  shown(pull: Pull): PullRequest {
    const { number, branch, base, state, body, mergeCommit, endedBy } = pull;
    const url = `${this.#origin.url}/pull/${number}`;
    const head = this.head(pull);
    return { number, url, head, branch, base, state, body, mergeCommit, endedBy };
  }

  state(pull: Pull): PullRequestState {
    const { review } = pull;
    const red = [...pull.checks].flatMap(([name, end]) => (end === 'failure' ? [name] : []));
    return {
      ...this.shown(pull),
      review,
      mergeable: pull.state === 'open' ? this.tree(pull) !== null : null,
      blocked: this.isProtected && review !== 'approved' ? 'a required review is missing' : null,
      reviewers: review === 'none' ? [] : [PERSON],
      checks: { state: stateOf([...pull.checks.values()], red), red },
    };
  }
}

function stateOf(
  ends: readonly ('success' | 'failure' | null)[],
  red: readonly string[],
): PullRequestState['checks']['state'] {
  if (red.length > 0) return 'red';
  if (ends.includes(null)) return 'pending';
  return ends.length === 0 ? 'none' : 'green';
}

/** What stands in the way of the answer, before the work is done and after it. */
type Trouble = { readonly before: ForgeProblem | null; readonly after: ForgeProblem | null };

function portOf(desk: Desk, trouble: () => Trouble): Forge {
  const asked = async <T>(answer: () => Result<T, ForgeProblem>): ForgeAnswer<T> => {
    const { before, after } = trouble();
    if (before !== null) return err(before);
    const said = answer();
    return after === null ? said : err(after);
  };
  const about = <T>(
    number: number,
    answer: (pull: Pull) => Result<T, ForgeProblem>,
  ): ForgeAnswer<T> =>
    asked(() => {
      const pull = desk.named(number);
      return pull === null ? err({ kind: 'not_found', detail: `#${number}` }) : answer(pull);
    });
  return {
    name: 'memory/hub',
    find: (branch) =>
      asked(() => {
        const of = desk.pulls.filter((pull) => pull.branch === branch);
        const found = of.find(({ state }) => state === 'open') ?? of.at(-1);
        return ok(found === undefined ? null : desk.shown(found));
      }),
    create: (wish) =>
      asked(() => {
        const pull = desk.create(wish);
        if (pull === null) return err({ kind: 'invalid', detail: `not ${wish.branch}` });
        return ok(desk.shown(pull));
      }),
    update: (number, { body }) =>
      about(number, (pull) => {
        pull.body = body;
        return ok(desk.shown(pull));
      }),
    read: (number) => about(number, (pull) => ok(desk.state(pull))),
    merge: (number, { head, strategy }) =>
      about(number, (pull) => {
        if (desk.head(pull) !== head) return refused('head_moved');
        const merged = desk.merge(pull, strategy, OURS);
        return merged.ok ? merged : refused(merged.error);
      }),
    comment: (number) => about(number, () => ok(undefined)),
    close: (number) =>
      about(number, (pull) => {
        if (pull.state === 'open') desk.end(pull, 'closed', OURS);
        return ok(undefined);
      }),
    reopen: (number) =>
      about(number, (pull) => {
        if (pull.state === 'closed') Object.assign(pull, { state: 'open', endedBy: null });
        return ok(undefined);
      }),
  };
}

const refused = (because: NotMergeable): Result<never, ForgeProblem> =>
  err({ kind: 'not_mergeable', because, detail: because });
