import type { AsksJson } from '../../contract/schemas/task.ts';

/** `Which region? (eu, us): convoy answer ap-7k2p9 "…"` */
export function asksWords({ approval, kind, text, choices }: AsksJson): string {
  const offered = choices.length === 0 ? '' : ` (${choices.join(', ')})`;
  const how = kind === 'input' ? `convoy answer ${approval} "…"` : `convoy approve ${approval}`;
  return `${text}${offered}: ${how}`;
}
