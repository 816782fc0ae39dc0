import {
  type QueueEntry,
  type QueueStep,
  type QueueView,
  type Stack,
  stackKey,
  type Verdict,
  type Verification,
} from '../domain/merge/queue-view.ts';
import type { ChangeId } from '../domain/work/ids.ts';
import { unreachable } from '../lib/unreachable.ts';
import { isGreen, mergeInto, type MergeWorld, treeOf } from './merge-world.ts';

export type Planner = (view: QueueView) => QueueStep[];

export type QueueRun = {
  /** In the order in which they reached the target. */
  readonly merged: readonly ChangeId[];
  readonly red: readonly ChangeId[];
  readonly conflicted: readonly ChangeId[];
  /** Taken out because a change they need left without landing. */
  readonly withdrawn: readonly ChangeId[];
  /** Still in the queue when nothing could move any more: must be empty. */
  readonly lost: readonly ChangeId[];
  /** Landings whose tree the gate would refuse: must be zero. */
  readonly redMerges: number;
  readonly landings: number;
  readonly gateRuns: number;
  readonly cancelledRuns: number;
  readonly mergeTrees: number;
  /** Most verifications that ever ran at once. */
  readonly mostRunning: number;
  /** Trees that were given to the gate more than once: must be zero without restarts. */
  readonly repeatedTrees: number;
  readonly lastMergeAt: number;
  readonly settledAt: number;
};

export type QueueRunOptions = {
  readonly planner: Planner;
  readonly slots: number;
  readonly redShare?: number;
  /** After these event numbers everything that runs is lost, as when the machine restarts. */
  readonly crashAfter?: ReadonlySet<number>;
};

/** Runs a queue over a made-up world in virtual time, one event and one plan after the other. */
export function runQueue(world: MergeWorld, options: QueueRunOptions): QueueRun {
  const queue = new SimulatedQueue(world, options);
  queue.arrive();
  queue.settle();
  for (let event = 1; queue.advance(); event += 1) {
    if (options.crashAfter?.has(event) === true) queue.crash();
    queue.settle();
  }
  return queue.report();
}

type RunningGate = Verification & { readonly endsAt: number };

/** The state of one simulated run. It plays the loop and the world; the planner decides. */
class SimulatedQueue {
  private readonly world: MergeWorld;
  private readonly options: QueueRunOptions;
  private now = 0;
  private arrived = 0;
  private waiting: QueueEntry[] = [];
  private content: ChangeId[] = [];
  private commit = 'commit:0';
  private running: RunningGate[] = [];
  private readonly verdicts: Verdict[] = [];
  private stacks = new Map<string, Stack>();
  private readonly red: ChangeId[] = [];
  private readonly conflicted: ChangeId[] = [];
  private readonly withdrawn: ChangeId[] = [];
  private readonly tested = new Set<string>();
  private readonly count = {
    redMerges: 0,
    landings: 0,
    gateRuns: 0,
    cancelledRuns: 0,
    mergeTrees: 0,
    mostRunning: 0,
    repeatedTrees: 0,
    lastMergeAt: 0,
    settledAt: 0,
  };

  constructor(world: MergeWorld, options: QueueRunOptions) {
    this.world = world;
    this.options = options;
  }

  /** Plans and performs until the planner has nothing more to do now. */
  settle(): void {
    for (let pass = 0; pass < 10_000; pass += 1) {
      const steps = this.options.planner(this.view());
      if (steps.length === 0) return;
      for (const step of steps) this.perform(step);
    }
    throw new Error('The planner keeps asking for steps and never comes to rest.');
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
    this.now = gate.endsAt;
    this.finish(gate);
    return true;
  }

  arrive(): void {
    for (const change of this.world.changes.slice(this.arrived)) {
      if (change.at > this.now) break;
      this.waiting.push({ id: change.id, needs: change.needs, overtaken: 0 });
      this.arrived += 1;
    }
  }

  crash(): void {
    for (const run of this.running) this.tested.delete(run.tree);
    this.running = [];
    this.stacks = new Map();
  }

  report(): QueueRun {
    return {
      merged: this.content,
      red: this.red,
      conflicted: this.conflicted,
      withdrawn: this.withdrawn,
      lost: this.waiting.map((entry) => entry.id),
      ...this.count,
    };
  }

  private view(): QueueView {
    return {
      head: { commit: this.commit, tree: treeOf(this.content) },
      entries: this.waiting,
      landed: new Set(this.content),
      slots: this.options.slots,
      running: this.running,
      verdicts: this.verdicts,
      stacks: this.stacks,
      redShare: this.options.redShare ?? 0.1,
      paused: false,
    };
  }

  private perform(step: QueueStep): void {
    switch (step.do) {
      case 'merge-tree':
        this.count.mergeTrees += 1;
        this.stacks.set(
          stackKey(step.base, step.members),
          mergeInto(this.world, this.content, step.members),
        );
        return;
      case 'verify':
        return this.start(step);
      case 'cancel':
        this.count.cancelledRuns += 1;
        this.running = this.running.filter((run) => run.id !== step.verification);
        return;
      case 'land':
        return this.land(step.members);
      case 'eject':
        this.waiting = this.waiting.filter((entry) => entry.id !== step.id);
        (step.because === 'red' ? this.red : this.conflicted).push(step.id);
        this.count.settledAt = this.now;
        return;
      default:
        return unreachable(step);
    }
  }

  private start(step: QueueStep & { do: 'verify' }): void {
    if (this.tested.has(step.tree)) this.count.repeatedTrees += 1;
    this.tested.add(step.tree);
    const run = this.count.gateRuns;
    this.count.gateRuns += 1;
    this.running.push({
      id: `run:${run}`,
      base: step.base,
      tree: step.tree,
      members: step.members,
      endsAt: this.now + this.world.gate(run),
    });
    this.count.mostRunning = Math.max(this.count.mostRunning, this.running.length);
  }

  private finish(gate: RunningGate): void {
    this.running = this.running.filter((run) => run.id !== gate.id);
    const content = gate.tree.slice('tree:'.length).split(',') as ChangeId[];
    this.verdicts.push({
      base: gate.base,
      tree: gate.tree,
      members: gate.members,
      colour: isGreen(this.world, content) ? 'green' : 'red',
    });
  }

  private land(members: readonly ChangeId[]): void {
    const last = Math.max(
      ...this.waiting.map((entry, index) => (members.includes(entry.id) ? index : -1)),
    );
    this.waiting = this.waiting
      .map((entry, index) =>
        index < last ? { ...entry, overtaken: entry.overtaken + 1 } : entry,
      )
      .filter((entry) => !members.includes(entry.id));
    this.content = [...this.content, ...members];
    this.count.landings += 1;
    this.commit = `commit:${this.count.landings}`;
    if (!isGreen(this.world, this.content)) this.count.redMerges += 1;
    this.count.lastMergeAt = this.now;
    this.count.settledAt = this.now;
  }

  /** The outside takes back a change that needs one which left the queue unlanded. */
  private withdrawBlocked(): boolean {
    const known = new Set([...this.content, ...this.waiting.map((entry) => entry.id)]);
    const blocked = this.waiting.find((entry) => entry.needs.some((need) => !known.has(need)));
    if (blocked === undefined) return false;
    this.waiting = this.waiting.filter((entry) => entry !== blocked);
    this.withdrawn.push(blocked.id);
    return true;
  }
}
