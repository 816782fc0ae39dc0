import type { World } from './world.ts';

const PASSED = ['HOME', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL'];

/** What gates and set-up commands see: little, what the repo lets through, and not our own tools. */
export function commandEnvironment(
  world: Pick<World, 'env' | 'convoyRoot'>,
  allow: readonly string[],
): Record<string, string> {
  const env: Record<string, string> = {
    PATH: foreignPath(world.env['PATH'] ?? '', world.convoyRoot),
  };
  for (const name of [...PASSED, ...allow]) {
    const value = world.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/** Our own node_modules/.bin would shadow the repo's tools. */
const foreignPath = (path: string, root: string): string =>
  path
    .split(':')
    .filter((directory) => directory !== '' && !directory.startsWith(`${root}/node_modules`))
    .join(':');
