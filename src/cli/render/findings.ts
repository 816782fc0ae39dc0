import { clean, cleanLine } from './clean.ts';
import type { Palette } from './paint.ts';
import { wrapWide } from './width.ts';

export type Finding = {
  readonly code: string;
  readonly message: string;
  readonly ids: readonly string[];
  readonly fix: string;
};

const MOST_IDS = 20;

/** Findings under a heading, numbered so that people can talk about them; nothing when there are none. */
export function findings(
  heading: string,
  found: readonly Finding[],
  width: number,
  paint: Palette['red'],
): string[] {
  if (found.length === 0) return [];
  const digits = String(found.length).length;
  const indent = ' '.repeat(digits + 4);
  const room = width - indent.length;
  return [
    paint(`${heading} (${found.length})`),
    ...found.flatMap((finding, at) => {
      const lines = [
        ...wrapWide(`${cleanLine(finding.code)}: ${clean(finding.message)}`, room),
        ...(finding.ids.length === 0 ? [] : wrapWide(idsOf(finding.ids), room)),
        ...(finding.fix === '' ? [] : wrapWide(`fix: ${clean(finding.fix)}`, room)),
      ];
      const number = `  ${String(at + 1).padStart(digits)}. `;
      return lines.map((line, nth) => (nth === 0 ? number : indent) + line);
    }),
  ];
}

function idsOf(ids: readonly string[]): string {
  const shown = ids.slice(0, MOST_IDS).map(cleanLine).join(', ');
  return ids.length > MOST_IDS ? `${shown} and ${ids.length - MOST_IDS} more` : shown;
}
