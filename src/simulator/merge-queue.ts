import { answersDueUntil } from '../domain/merge/answers-due.ts';
import { expectedRedShare } from '../domain/merge/groups.ts';
import {
  type QueueEntry,
  type QueueStep,
  type QueueView,
  type Stack,
  stackKey,
  type Verdict,
  type Verification,
} from '../domain/merge/queue-view.ts';
import { type ChangeId, changeId } from '../domain/work/ids.ts';
import { unreachable } from '../lib/unreachable.ts';
import { isGreen, mergeInto, type MergeWorld, treeOf } from './merge-world.ts';

export type Planner = (view: QueueView) => QueueStep[];

export type QueueRunOptions = {
  readonly planner: Planner;
  readonly slots: number;
  readonly redShare?: number;
  /** What goes wrong after which event. */
  readonly disturbances?: ReadonlyMap<number, Disturbance>;
  /** What the gate says about a tree, when that is not the world's truth. */
  readonly gateSays?: (tree: string) => Verdict['colour'];
};

export type Disturbance =
  /** Everything that runs and every merge result is lost, as when the machine restarts. */
  | { readonly kind: 'restart' }
  /** Somebody else commits to the target. */
  | { readonly kind: 'outside-commit' }
  | { readonly kind: 'withdraw'; readonly id: ChangeId };

export type QueueRun = {
  /** In the order in which they reached the target. */
  readonly merged: readonly ChangeId[];
  readonly red: readonly ChangeId[];
  readonly conflicted: readonly ChangeId[];
  /** Taken back, by the world or because a change they need left without landing. */
  readonly withdrawn: readonly ChangeId[];
  /** Still in the queue when nothing could move any more: must be empty. */
  readonly lost: readonly ChangeId[];
} & Readonly<QueueCounts>;

type QueueCounts = {
  /** Landings whose tree the gate refuses or never saw: must be zero. */
  redMerges: number;
  landings: number;
  gateRuns: number;
  /** Gate runs stopped because their answer had become worthless. */
  cancelledRuns: number;
  mergeTrees: number;
  mostRunning: number;
  /** Trees that a gate was run on again although it had an answer or was still at it: must be zero. */
  repeatedTrees: number;
  /** Most landings that went past a single change. */
  mostOvertaken: number;
  lastMergeAt: number;
  settledAt: number;
};

/** Runs a queue over a made-up world in virtual time, one event and one plan after the other. */
export function runQueue(world: MergeWorld, options: QueueRunOptions): QueueRun {
  const queue = new SimulatedQueue(world, options);
  queue.arrive();
  queue.plan();
  for (let event = 1; queue.advance(); event += 1) {
    const disturbance = options.disturbances?.get(event);
    if (disturbance !== undefined) queue.disturb(disturbance);
    queue.plan();
  }
  return queue.report();
}

type RunningGate = Verification & {
  readonly content: readonly ChangeId[];
  readonly begunAt: number;
  readonly endsAt: number;
};
type StackStep = Extract<QueueStep, { do: 'verify' | 'land' }>;

/** Plays the loop and the world around one queue; the planner decides. */
class SimulatedQueue {
  private readonly world: MergeWorld;
  private readonly options: QueueRunOptions;
  private now = 0;
  private arrived = 0;
  private waiting: QueueEntry[] = [];
  /** What is on the target: our changes and those of others. */
  private content: readonly ChangeId[] = [];
  private commits = 0;
  private running: RunningGate[] = [];
  private stacks = new Map<string, Stack>();
  private readonly verdicts: Verdict[] = [];
  /** How long the last gate runs took. */
  private took: readonly number[] = [];
  private readonly tested = new Set<string>();
  private readonly merged: ChangeId[] = [];
  private readonly red: ChangeId[] = [];
  private readonly conflicted: ChangeId[] = [];
  private readonly withdrawn: ChangeId[] = [];
  private readonly counts: QueueCounts = {
    redMerges: 0,
    landings: 0,
    gateRuns: 0,
    cancelledRuns: 0,
    mergeTrees: 0,
    mostRunning: 0,
    repeatedTrees: 0,
    mostOvertaken: 0,
    lastMergeAt: 0,
    settledAt: 0,
  };

  constructor(world: MergeWorld, options: QueueRunOptions) {
    this.world = world;
    this.options = options;
  }

  /** Plans and performs until there is nothing more to do now. */
  plan(): void {
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      const steps = this.options.planner(this.view());
      if (steps.length === 0) return;
      for (const step of steps) this.perform(step);
    }
    throw new Error('The planner never comes to rest.');
  }

  /** Moves to the next thing that happens; false when nothing will. */
  advance(): boolean {
    const gate = this.running.toSorted((a, b) => a.endsAt - b.endsAt)[0];
    const next = this.world.changes[this.arrived];
    if (next !== undefined && (gate === undefined || next.at <= gate.endsAt)) {
      this.now = Math.max(this.now, next.at);
      this.arrive();
      return true;
    }
    if (gate === undefined) return this.withdrawBlocked();
    const until = this.dueUntil();
    if (until !== null && until < gate.endsAt) {
      this.now = until;
      return true;
    }
    this.now = gate.endsAt;
    this.answer(gate);
    return true;
  }

  private dueUntil(): number | null {
    const begun = this.running.map(({ begunAt }) => begunAt);
    return answersDueUntil({ now: this.now, begun, took: this.took });
  }

  arrive(): void {
    for (const change of this.world.changes.slice(this.arrived)) {
      if (change.at > this.now) break;
      this.waiting.push({ id: change.id, needs: change.needs, overtaken: 0 });
      this.arrived += 1;
    }
  }

  disturb(disturbance: Disturbance): void {
    switch (disturbance.kind) {
      case 'restart':
        for (const run of this.running) this.tested.delete(run.tree);
        this.running = [];
        this.stacks = new Map();
        return;
      case 'outside-commit':
        return this.moveHead([changeId(`outside${this.commits}`)]);
      case 'withdraw':
        if (this.waiting.some((entry) => entry.id === disturbance.id))
          this.leave(disturbance.id, this.withdrawn);
        return;
      default:
        return unreachable(disturbance);
    }
  }

  report(): QueueRun {
    const { merged, red, conflicted, withdrawn } = this;
    const lost = this.waiting.map((entry) => entry.id);
    return { merged, red, conflicted, withdrawn, lost, ...this.counts };
  }

  private view(): QueueView {
    return {
      head: { commit: `commit${this.commits}`, tree: treeOf(this.content) },
      entries: this.waiting,
      landed: new Set(this.merged),
      failed: new Set(this.red),
      slots: this.options.slots,
      running: this.running,
      answersDue: this.dueUntil() !== null,
      verdicts: this.verdicts,
      stacks: this.stacks,
      redShare:
        this.options.redShare ??
        expectedRedShare({ merged: this.merged.length, red: this.red.length }),
      paused: false,
      held: false,
    };
  }

  private perform(step: QueueStep): void {
    switch (step.do) {
      case 'merge-tree': {
        this.counts.mergeTrees += 1;
        const stack = mergeInto(this.world, this.content, step.members);
        this.stacks.set(stackKey(step.base, step.members), stack);
        return;
      }
      case 'verify':
        return this.start(step);
      case 'cancel':
        this.counts.cancelledRuns += 1;
        this.running = this.running.filter((run) => run.id !== step.verification);
        return;
      case 'land':
        return this.land(step);
      case 'eject':
        return this.leave(step.id, step.because === 'red' ? this.red : this.conflicted);
      default:
        return unreachable(step);
    }
  }

  private start({ base, tree, members }: StackStep): void {
    if (this.tested.has(tree)) this.counts.repeatedTrees += 1;
    this.tested.add(tree);
    const run = this.counts.gateRuns;
    const content = [...this.content, ...members];
    const endsAt = this.now + this.world.gate(run);
    const begunAt = this.now;
    this.running.push({ id: `run${run}`, base, tree, members, content, begunAt, endsAt });
    this.counts.gateRuns += 1;
    this.counts.mostRunning = Math.max(this.counts.mostRunning, this.running.length);
  }

  private answer(gate: RunningGate): void {
    this.running = this.running.filter((run) => run !== gate);
    const { base, tree, members, begunAt } = gate;
    this.took = [...this.took, this.now - begunAt].slice(-RECENT_RUNS);
    const truth = isGreen(this.world, gate.content) ? 'green' : 'red';
    this.verdicts.push({ base, tree, members, colour: this.options.gateSays?.(tree) ?? truth });
  }

  private land({ tree, members }: StackStep): void {
    const last = this.waiting.findLastIndex((entry) => members.includes(entry.id));
    const left = (entry: QueueEntry): boolean => !members.includes(entry.id);
    this.waiting = this.waiting
      .map((entry, n) => (n < last ? { ...entry, overtaken: entry.overtaken + 1 } : entry))
      .filter(left);
    this.moveHead(members);
    this.merged.push(...members);
    this.counts.landings += 1;
    this.counts.lastMergeAt = this.now;
    this.counts.settledAt = this.now;
    for (const { overtaken } of this.waiting)
      this.counts.mostOvertaken = Math.max(this.counts.mostOvertaken, overtaken);
    const seenGreen = this.verdicts.some((seen) => seen.tree === tree && seen.colour === 'green');
    if (!seenGreen || tree !== treeOf(this.content)) this.counts.redMerges += 1;
    else if (this.options.gateSays === undefined && !isGreen(this.world, this.content))
      this.counts.redMerges += 1;
  }

  private moveHead(added: readonly ChangeId[]): void {
    this.commits += 1;
    this.content = [...this.content, ...added];
    this.stacks = new Map();
  }

  private leave(id: ChangeId, to: ChangeId[]): void {
    this.waiting = this.waiting.filter((entry) => entry.id !== id);
    to.push(id);
    this.counts.settledAt = this.now;
  }

  /** The outside takes back a change that needs one which left the queue unlanded. */
  private withdrawBlocked(): boolean {
    const known = new Set([...this.merged, ...this.waiting.map((entry) => entry.id)]);
    const blocked = this.waiting.find((entry) => entry.needs.some((need) => !known.has(need)));
    if (blocked !== undefined) this.leave(blocked.id, this.withdrawn);
    return blocked !== undefined;
  }
}

const RECENT_RUNS = 16;
/** Far more passes than questions a plan could have between two events. */
const MOST_PASSES = 10_000;
