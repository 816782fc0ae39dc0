import type { Draft } from './draft.ts';
import { at, stringOf } from './json.ts';
import type { Project } from './project.ts';
import { baseOf, type Snapshot } from './snapshot.ts';

/** One name for each lane, unique in the repository and fit for a platform's application name. */
export function laneNames(
  snapshot: Snapshot,
  found: readonly { readonly project: Project; readonly draft: Draft }[],
): readonly string[] {
  const short = found.map(({ project, draft }) =>
    shortName(
      snapshot,
      draft.path ?? project.path,
      isAlone(found, project) ? '' : draft.role,
      draft,
      project,
    ),
  );
  const taken = new Set<string>();
  return short.map((name, index) => {
    const twice = short.filter((other) => other === name).length > 1;
    const path = found[index]?.draft.path ?? found[index]?.project.path ?? '.';
    const wanted =
      twice && path !== '.'
        ? slug(
            [path.replaceAll('/', '-'), found[index]?.draft.role]
              .filter((part) => part !== undefined && part !== '')
              .join('-'),
          )
        : name;
    let unique = wanted;
    for (let number = 2; taken.has(unique); number += 1) unique = `${wanted}-${number}`;
    taken.add(unique);
    return unique;
  });
}

// The only lane of a directory needs no second word.
const isAlone = (found: readonly { readonly project: Project }[], project: Project): boolean =>
  found.filter((one) => one.project === project).length === 1;

function shortName(
  snapshot: Snapshot,
  path: string,
  given: string | undefined,
  draft: Draft,
  project: Project,
): string {
  const base = path === '.' ? rootName(snapshot, project) : slug(baseOf(path));
  const role = slug(given ?? '');
  if (role === '' || role === base) return base;
  if (draft.path !== undefined || draft.ecosystem === 'go' || draft.ecosystem === 'rust')
    return role;
  return `${base}-${role}`;
}

function rootName(snapshot: Snapshot, project: Project): string {
  const data = (file: string) => project.data(file);
  const named =
    stringOf(at(data('package.json'), 'name')) ??
    stringOf(at(data('pyproject.toml'), 'project', 'name')) ??
    stringOf(at(data('pyproject.toml'), 'tool', 'poetry', 'name')) ??
    stringOf(at(data('Cargo.toml'), 'package', 'name')) ??
    /^module\s+(\S+)/m.exec(project.text('go.mod') ?? '')?.[1] ??
    snapshot.name;
  return slug(baseOf(named)) || 'app';
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
}
