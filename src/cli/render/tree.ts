import { cleanLine } from './clean.ts';
import { paintOf, textOf, type Cell } from './paint.ts';
import { truncate, widthOf } from './width.ts';

export type TreeNode = {
  readonly label: Cell;
  /** Stands behind the label and is cut last, for example a status. */
  readonly suffix?: Cell;
  readonly children: readonly TreeNode[];
};

const STEP = 3;
const LEAST_LABEL = 24;

/**
 * Nodes below each other with lines that show what belongs to what.
 *
 * Any depth: where the room for labels would end, deeper nodes keep their indent and get `┄`.
 */
export function tree(roots: readonly TreeNode[], width: number): string[] {
  const lines: string[] = [];
  const deepest = Math.max(0, width - LEAST_LABEL);
  const waiting = roots.map((node) => ({ node, lead: '', below: '' })).toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, lead, below } = next;
    lines.push((lead + line(node, width - lead.length)).trimEnd());
    const last = node.children.length - 1;
    for (let at = last; at >= 0; at--) {
      const child = node.children[at];
      if (child === undefined) continue;
      const fits = below.length + STEP <= deepest;
      const dash = fits ? '─' : '┄';
      waiting.push({
        node: child,
        lead: below + (at === last ? `└${dash} ` : `├${dash} `),
        below: fits ? below + (at === last ? '   ' : '│  ') : below,
      });
    }
  }
  return lines;
}

function line({ label, suffix }: TreeNode, room: number): string {
  if (room < 1) return '';
  const end = suffix === undefined ? '' : truncate(cleanLine(textOf(suffix)), room);
  const left = room - (end === '' ? 0 : widthOf(end) + 2);
  const start = truncate(cleanLine(textOf(label)), Math.max(0, left));
  const shown = start === '' ? [] : [paintOf(label)(start)];
  if (end !== '' && suffix !== undefined) shown.push(paintOf(suffix)(end));
  return shown.join('  ');
}
