import type { ChangeId } from '../work/ids.ts';
import { type QueueStep, type QueueView, type Stack, stackKey } from './queue-view.ts';

/** The known stacks on the current head, and a list of those that must be asked for. */
export type Facts = {
  /** The stack of these changes on the head, or undefined after noting that it must be computed. */
  readonly look: (members: readonly ChangeId[]) => Stack | undefined;
  /** The same without asking. */
  readonly peek: (members: readonly ChangeId[]) => Stack | undefined;
  /** As `look`, also leaving out changes whose needs did not make it into the stack. */
  readonly build: (members: readonly ChangeId[]) => Stack | undefined;
  readonly colourOf: (tree: string) => 'green' | 'red' | undefined;
  readonly hasNeeds: (members: readonly ChangeId[]) => boolean;
  readonly withNeeds: (members: readonly ChangeId[], below?: readonly ChangeId[]) => ChangeId[];
  /** Known stacks on the head whose members are all still in the queue. */
  readonly onHead: readonly Stack[];
  readonly questions: () => QueueStep[];
};

export function factsOf(view: QueueView): Facts {
  const base = view.head.commit;
  const questions = new Map<string, QueueStep>();
  const colours = new Map(view.verdicts.map((verdict) => [verdict.tree, verdict.colour]));
  const needs = new Map(view.entries.map((entry) => [entry.id, entry.needs]));

  const isLive = (id: ChangeId): boolean => needs.has(id);

  const peek = (members: readonly ChangeId[]): Stack | undefined =>
    view.stacks.get(stackKey(base, members));

  const look = (members: readonly ChangeId[]): Stack | undefined => {
    const known = peek(members);
    if (known === undefined)
      questions.set(stackKey(base, members), { do: 'merge-tree', base, members });
    return known;
  };

  const withNeeds = (members: readonly ChangeId[], below: readonly ChangeId[] = []): ChangeId[] => {
    const present = new Set(below);
    return members.filter((id) => {
      const met = (needs.get(id) ?? []).every((need) => view.landed.has(need) || present.has(need));
      if (met) present.add(id);
      return met;
    });
  };

  const build = (members: readonly ChangeId[]): Stack | undefined => {
    if (members.length === 0) return { tree: view.head.tree, members: [], leftOut: [] };
    const stack = look(members);
    if (stack === undefined) return undefined;
    const sound = withNeeds(stack.members);
    return sound.length === stack.members.length ? stack : build(sound);
  };

  return {
    look,
    peek,
    build,
    withNeeds,
    hasNeeds: (members) => withNeeds(members).length === members.length,
    colourOf: (tree) => colours.get(tree),
    onHead: [...view.stacks]
      .filter(([key, { members }]) => key.startsWith(`${base} `) && members.every(isLive))
      .map(([, stack]) => stack),
    questions: () => [...questions.values()],
  };
}
