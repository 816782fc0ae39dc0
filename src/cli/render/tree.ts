import { cleanLine } from './clean.ts';
import { paintOf, textOf, type Cell } from './paint.ts';
import { truncate, widthOf } from './width.ts';

export type TreeNode = {
  readonly label: Cell;
  /** Stands behind the label and is cut last, for example a status. */
  readonly suffix?: Cell;
  readonly children: readonly TreeNode[];
};

/** Nodes below each other with lines that show what belongs to what; any depth. */
export function tree(roots: readonly TreeNode[], width: number): string[] {
  const lines: string[] = [];
  const waiting = roots.map((node) => ({ node, lead: '', below: '' })).toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, lead, below } = next;
    lines.push(lead + line(node, width - widthOf(lead)));
    const last = node.children.length - 1;
    for (let at = last; at >= 0; at--) {
      const child = node.children[at];
      if (child === undefined) continue;
      waiting.push({
        node: child,
        lead: below + (at === last ? '└─ ' : '├─ '),
        below: below + (at === last ? '   ' : '│  '),
      });
    }
  }
  return lines.map((text) => (widthOf(text) > width ? truncate(text, width) : text));
}

function line({ label, suffix }: TreeNode, room: number): string {
  const end = suffix === undefined ? '' : truncate(cleanLine(textOf(suffix)), room);
  const left = room - (end === '' ? 0 : widthOf(end) + 2);
  const start = truncate(cleanLine(textOf(label)), Math.max(0, left));
  const shown = start === '' ? [] : [paintOf(label)(start)];
  if (end !== '' && suffix !== undefined) shown.push(paintOf(suffix)(end));
  return shown.join('  ');
}
