import type { Assignment } from '../../../ports/agent.ts';
import type { Script, Step, When } from './script.ts';

/** The steps that a script has for an assignment, texts filled in; `null` when it has none. */
export function stepsFor(
  { scripts }: Script,
  assignment: Assignment,
  env: Readonly<Record<string, string>>,
): Step[] | null {
  const chosen = scripts.find((one) => holds(one.when, assignment, env));
  if (chosen === undefined) return null;
  return chosen.steps
    .filter((step) => holds(step.when, assignment, env))
    .map((step) => filledStep(step, assignment));
}

function holds(
  when: When | undefined,
  { task, role, number }: Assignment,
  env: Readonly<Record<string, string>>,
): boolean {
  if (when === undefined) return true;
  return (
    matches(when.task, task.id) &&
    matches(when.title, task.title) &&
    (when.role === undefined || when.role === role) &&
    isWithin(when.attempt, number) &&
    Object.entries(when.env ?? {}).every(([name, glob]) => matches(glob, env[name] ?? ''))
  );
}

const matches = (glob: string | undefined, text: string): boolean =>
  glob === undefined || globbed(glob).test(text);

/** `*` is any text, `?` one character; everything else is itself. */
function globbed(glob: string): RegExp {
  const source = glob.replaceAll(/[\\^$.*+?()[\]{}|]/g, (sign) =>
    sign === '*' ? '.*' : sign === '?' ? '.' : `\\${sign}`,
  );
  return new RegExp(`^${source}$`, 'su');
}

function isWithin(range: When['attempt'], attempt: number): boolean {
  if (range === undefined) return true;
  if (typeof range === 'number') return range === attempt;
  return attempt >= range.from && attempt <= (range.to ?? Infinity);
}

function filledStep(step: Step, { task, number, role }: Assignment): Step {
  const values: Readonly<Record<string, string>> = {
    task_id: task.id,
    title: task.title,
    attempt: String(number),
    role,
  };
  const fill = (value: unknown): unknown =>
    typeof value === 'string'
      ? value.replaceAll(
          /\{(task_id|title|attempt|role)\}/g,
          (all, name: string) => values[name] ?? all,
        )
      : value;
  const { do: name, when: _, ...rest } = step;
  const filled = Object.entries(rest).map(([key, value]) => [key, fill(value)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, texts replaced by texts
  return { do: name, ...Object.fromEntries(filled) } as Step;
}
