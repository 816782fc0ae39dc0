import { showConvoy } from '../../contract/routes/convoys.ts';
import type { ConvoyJson } from '../../contract/schemas/convoy.ts';
import type { Outcome } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { cleanLine } from '../render/clean.ts';

const LOOK_MS = 200;
const INTERRUPTED = 130;
/** A stall may be a moment between two passes; it must last to count. */
const STALL_LOOKS = 5;

type View = Pick<
  CommandContext,
  'call' | 'err' | 'out' | 'signal' | 'json' | 'color' | 'columns' | 'now' | 'interactive'
>;

/** Tells what changes until the convoy has ended or cannot go on without a person. */
export async function waitForConvoy(context: View, id: string): Promise<Outcome> {
  const { call, err, signal, json } = context;
  const said = new Map<string, string>();
  let stalls = 0;
  for (;;) {
    const { convoy } = await call(showConvoy, { params: { id } });
    const changed = news(convoy, said);
    if (context.interactive && changed.length > 0) await redraw(context, convoy);
    else if (!json) for (const line of changed) err(line);
    stalls = convoy.status === 'stalled' ? stalls + 1 : 0;
    const exit = exitOf(convoy, stalls);
    if (exit !== null) return shown(context, convoy, exit);
    if (signal.aborted) return { streamed: true, exit: INTERRUPTED };
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** On a terminal the page is drawn anew whenever something changed. */
async function redraw(context: View, convoy: ConvoyJson): Promise<void> {
  const { convoyPage } = await import('../render/convoy-view.ts');
  context.out(`${CLEAR}${convoyPage(convoy, context).join('\n')}`);
}

const CLEAR = '\u001B[H\u001B[2J';

function exitOf(convoy: ConvoyJson, stalls: number): number | null {
  const { status } = convoy;
  if (status === 'landed' || status === 'closed') return 0;
  if (waitsForPerson(convoy)) return WAITS_FOR_PERSON;
  if (status === 'cancelled') return 1;
  return stalls >= STALL_LOOKS ? 1 : null;
}

const WAITS_FOR_PERSON = 5;
const DONE = new Set(['merged', 'closed', 'skipped', 'cancelled']);

/** Nothing is left to do but to say yes. */
function waitsForPerson({ approvals, tasks, status }: ConvoyJson): boolean {
  const lanes = approvals.filter(isPending).map((approval) => approval.lane);
  if ((status !== 'open' && status !== 'landing') || lanes.length === 0) return false;
  return tasks.every(
    (task) => DONE.has(task.status) || (task.status === 'submitted' && lanes.includes(task.id)),
  );
}

const isPending = (approval: unknown): approval is { status: 'pending'; lane?: unknown } =>
  typeof approval === 'object' &&
  approval !== null &&
  'status' in approval &&
  approval.status === 'pending';

const shown = (context: View, convoy: ConvoyJson, exit: number): Outcome => ({
  json: { convoy },
  text: async () => (await import('../render/convoy-view.ts')).convoyPage(convoy, context),
  exit,
});

function news(convoy: ConvoyJson, said: Map<string, string>): string[] {
  const lines: string[] = [];
  for (const { id, title, status, last_error } of convoy.tasks) {
    const now = last_error === null ? status : `${status} (${last_error})`;
    if (said.get(id) === now) continue;
    if (said.has(id) || status !== 'open') lines.push(cleanLine(`${id}  ${now}  ${title}`));
    said.set(id, now);
  }
  if (said.get(convoy.id) !== convoy.status) {
    lines.push(
      cleanLine(
        `${convoy.id}  ${convoy.status}${convoy.reason === null ? '' : `: ${convoy.reason}`}`,
      ),
    );
    said.set(convoy.id, convoy.status);
  }
  const pending = convoy.branch_pending ?? '';
  if ((said.get('branch') ?? '') !== pending) {
    if (pending !== '') lines.push(cleanLine(`${convoy.id}  branch pending: ${pending}`));
    said.set('branch', pending);
  }
  return lines;
}
