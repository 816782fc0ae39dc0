import { cite, citeFile } from './evidence.ts';
import { at } from './json.ts';
import type { Evidence } from './lane.ts';
import type { Snapshot } from './snapshot.ts';

/** The tools that tie the parts of a repository together. */
export function monorepoTools(snapshot: Snapshot): readonly Evidence[] {
  const files = new Set(snapshot.files);
  const byFile: readonly (readonly [string, string])[] = [
    ['pnpm-workspace.yaml', 'pnpm-workspaces'],
    ['turbo.json', 'turbo'],
    ['nx.json', 'nx'],
    ['lerna.json', 'lerna'],
    ['go.work', 'go.work'],
    ['rush.json', 'rush'],
  ];
  const found = byFile
    .filter(([file]) => files.has(file))
    .map(([file, tool]) => citeFile('monorepo', tool, file, 'workspace-file'));
  return [...found, ...declared(snapshot)];
}

function declared(snapshot: Snapshot): readonly Evidence[] {
  const tables: readonly (readonly [string, readonly string[], string, string])[] = [
    ['package.json', ['workspaces'], 'npm-workspaces', '"workspaces"'],
    ['pyproject.toml', ['tool', 'uv', 'workspace'], 'uv-workspace', '[tool.uv.workspace'],
    ['Cargo.toml', ['workspace'], 'cargo-workspace', '[workspace]'],
    ['deno.json', ['workspace'], 'deno-workspace', '"workspace"'],
  ];
  return tables.flatMap(([file, keys, tool, needle]) => {
    if (at(snapshot.data(file), ...keys) === undefined) return [];
    return [
      cite('monorepo', tool, { file, text: snapshot.text(file) ?? '' }, needle, 'workspace-table'),
    ];
  });
}
