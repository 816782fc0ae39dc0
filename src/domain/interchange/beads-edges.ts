import { HIERARCHY_KIND, LEVELS, isOrdering, type Dependency } from '../work/dependency.ts';
import { taskId, type TaskId } from '../work/ids.ts';
import { fieldsFrom, isFields, isSame, wordOf, type Fields } from './fields.ts';

/** An edge that was not taken over, and why. */
export type BadEdge = {
  readonly from: TaskId;
  readonly on: string;
  readonly kind: string;
  readonly why: string;
};

export type ReadEdges = {
  readonly parent: TaskId | null;
  /** What the other tool said about the parent's edge. */
  readonly parentEdge: Fields;
  readonly dependencies: readonly Dependency[];
  readonly bad: readonly Omit<BadEdge, 'from'>[];
};

/** A target of another workspace: kept for the way back, never waited for. */
export const isExternal = (target: string): boolean => target.startsWith('external:');
const EXTERNAL_KIND = 'external-';

/** Reads `issue_id depends on depends_on_id`; hierarchy becomes the task's parent. */
export function readEdges(value: unknown, id: TaskId | null): ReadEdges {
  const bad: Omit<BadEdge, 'from'>[] = [];
  const dependencies: Dependency[] = [];
  let parent: TaskId | null = null;
  let parentEdge: Fields = {};
  for (const row of Array.isArray(value) ? value : []) {
    const edge = readEdge(row, id);
    if ('why' in edge) bad.push(edge);
    else if (edge.kind !== HIERARCHY_KIND) dependencies.push(edge);
    else if (parent === null) {
      parent = edge.on;
      parentEdge = edge.extra ?? {};
    } else bad.push({ on: edge.on, kind: edge.kind, why: `${parent} is its parent already` });
  }
  return { parent, parentEdge, dependencies, bad };
}

function readEdge(row: unknown, id: TaskId | null): Dependency | Omit<BadEdge, 'from'> {
  if (!isFields(row)) return { on: '', kind: '', why: 'not an object' };
  const { issue_id: owner, depends_on_id: target, type, ...rest } = row;
  const on = wordOf(target);
  const kind = wordOf(type) || wordOf(rest['dep_type']) || 'blocks';
  const from = wordOf(owner);
  if (on === '') return { on, kind, why: 'depends_on_id is missing' };
  if (id !== null && from !== '' && from !== id) return { on, kind, why: `it belongs to ${from}` };
  return meant(on, isExternal(on) && isOrdering(kind) ? EXTERNAL_KIND + kind : kind, rest);
}

function meant(on: string, kind: string, said: Fields): Dependency {
  const meaning = meaningOf(kind, said['metadata']);
  const { metadata, ...others } = said;
  // Metadata that only says what we have words for need not be kept beside them.
  const extra = isSame(metadata, metadataWith(kind, meaning, {})) ? others : said;
  return {
    on: taskId(on),
    kind,
    ...meaning,
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

export function writeEdges(
  id: TaskId,
  { parent, parentEdge, dependencies }: Omit<ReadEdges, 'bad'>,
): Fields[] {
  const edges = dependencies.map((edge) => writeEdge(id, edge));
  if (parent === null) return edges;
  return [writeEdge(id, { on: parent, kind: HIERARCHY_KIND, extra: parentEdge }), ...edges];
}

function writeEdge(id: TaskId, { on, kind, level, children, extra = {} }: Dependency): Fields {
  const type =
    isExternal(on) && kind.startsWith(EXTERNAL_KIND) ? kind.slice(EXTERNAL_KIND.length) : kind;
  return fieldsFrom([
    ['issue_id', id],
    ['depends_on_id', on],
    ['type', type],
    ...Object.entries({ ...extra, metadata: metadataWith(kind, { level, children }, extra) }),
  ]);
}

type Meaning = Pick<Dependency, 'level' | 'children'>;
type Said = { readonly [K in keyof Meaning]: Meaning[K] | undefined };

/** What the metadata of an edge means to us; beads keeps it as JSON in a text. */
function meaningOf(kind: string, metadata: unknown): Meaning {
  const { level, gate } = metadataFields(metadata);
  const known = LEVELS.find((each) => each === level);
  if (kind === 'blocks' && known) return { level: known };
  if (kind !== 'waits-for') return {};
  if (gate === 'any-children') return { children: 'any' };
  return gate === 'all-children' ? { children: 'all' } : {};
}

function metadataWith(kind: string, meaning: Said, extra: Fields): unknown {
  const given = extra['metadata'];
  const said = meaningOf(kind, given);
  if (said.level === meaning.level && said.children === meaning.children) return given;
  const { level: _level, gate: _gate, ...kept } = metadataFields(given);
  const fields = fieldsFrom([
    ...Object.entries(kept),
    ['level', meaning.level],
    ['gate', meaning.children === undefined ? undefined : `${meaning.children}-children`],
  ]);
  return isFields(given) ? fields : JSON.stringify(fields);
}

function metadataFields(metadata: unknown): Fields {
  if (isFields(metadata)) return metadata;
  if (typeof metadata !== 'string' || !metadata.startsWith('{')) return {};
  try {
    const parsed: unknown = JSON.parse(metadata);
    return isFields(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
