import type { Draft } from './draft.ts';
import { at, keysOf, stringOf } from './json.ts';
import { openProject, type Project } from './project.ts';
import { baseOf, directoryOf, type Snapshot } from './snapshot.ts';

const DEEPEST = 4;

/** Packages of the same repository that a lane is built from, however far they reach. */
export function workspaceLibraries(snapshot: Snapshot, draft: Draft): readonly Project[] {
  if (draft.ecosystem !== 'node') return [];
  const byName = new Map(
    snapshot.files
      .filter((file) => baseOf(file) === 'package.json')
      .flatMap((file) => {
        const name = stringOf(at(snapshot.data(file), 'name'));
        return name === undefined ? [] : [[name, file] as const];
      }),
  );
  const found = new Map<string, Project>();
  const follow = (names: readonly string[], depth: number): void => {
    for (const name of names) {
      const file = byName.get(name);
      if (file === undefined || found.has(file) || depth === 0) continue;
      found.set(file, openProject(snapshot, directoryOf(file)));
      follow(keysOf(at(snapshot.data(file), 'dependencies')), depth - 1);
    }
  };
  follow(draft.dependencies, DEEPEST);
  return [...found.values()];
}
