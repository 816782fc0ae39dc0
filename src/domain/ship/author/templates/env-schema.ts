import { variableNames } from '../lane.ts';
import type { LaneLayout } from '../layout.ts';

/** Names of the variables a lane reads; a value never stands here. */
export function envSchema({ lane }: LaneLayout): string | null {
  const secrets = variableNames(lane.secrets);
  const settings = variableNames(lane.settings ?? []).filter((name) => !secrets.includes(name));
  if (secrets.length + settings.length === 0) return null;
  return [
    `# Written by Convoy for the lane "${lane.name}". Edit it and it is yours.`,
    '# Names only. Values of secrets go to the platform, never into this file.',
    ...section('Secrets', secrets),
    ...section('Settings', settings),
    '',
  ].join('\n');
}

const section = (title: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : ['', `# ${title}`, ...names.map((name) => `${name}=`)];
