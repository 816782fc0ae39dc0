import { DEEPEST_CHILD, DEFAULT_PRIORITY } from '../work/task.ts';
import { ROOT_KEY, type DraftNode, type DraftProblem } from './draft-plan.ts';
import { ITEM_LEVEL, type Section } from './outline.ts';

export type Shape = {
  readonly root: DraftNode;
  /** The keys that a section became: one, or those of its tasks where it was nested too deep. */
  readonly keysOf: ReadonlyMap<Section, readonly string[]>;
  readonly problems: readonly DraftProblem[];
};

/** Makes epics and tasks of an outline: headings without work become prose, depth has an end. */
export function shape(outline: Section): Shape {
  const shaping: Shaping = { keysOf: new Map(), problems: [] };
  const root = nodeOf(shaping, {
    section: outline,
    key: ROOT_KEY,
    depth: 0,
    repo: null,
    agent: null,
  });
  return { root, ...shaping };
}

type Shaping = { readonly keysOf: Map<Section, string[]>; readonly problems: DraftProblem[] };

type At = {
  readonly section: Section;
  readonly key: string;
  readonly depth: number;
  /** Handed down from above. */
  readonly repo: string | null;
  readonly agent: string | null;
};

function nodeOf(shaping: Shaping, at: At): DraftNode {
  const { section, key, depth } = at;
  const { words } = section;
  const repo = section.repo ?? at.repo;
  const agent = section.agent ?? at.agent;
  const { parts, prose } = partsOf(shaping, section, depth);
  shaping.keysOf.set(section, [key]);
  const children = parts.map((part, index) =>
    nodeOf(shaping, {
      section: part,
      key: key === ROOT_KEY ? `${index + 1}` : `${key}.${index + 1}`,
      depth: depth + 1,
      ...handedDown(part, section, { repo, agent }),
    }),
  );
  const isEpic = depth === 0 || children.length > 0;
  warnAbout(shaping, section, { isEpic, depth });
  return {
    key,
    line: section.line,
    title: words.title,
    type: isEpic ? 'epic' : (words.type ?? 'task'),
    priority: words.priority ?? DEFAULT_PRIORITY,
    labels: words.labels,
    description: [trimmed(section.body), ...prose].filter((text) => text !== '').join('\n\n'),
    acceptance: section.acceptance,
    ownBranch: isEpic && depth > 0 && section.branch?.wanted === true,
    repo,
    agent,
    estimateMinutes: words.estimateMinutes,
    children,
  };
}

/** A part that moved up still has what the headings between said. */
function handedDown(
  part: Section,
  to: Section,
  from: { repo: string | null; agent: string | null },
) {
  let { repo, agent }: { repo: string | null; agent: string | null } = { repo: null, agent: null };
  for (let each = part.parent; each && each !== to; each = each.parent) {
    repo ??= each.repo;
    agent ??= each.agent;
  }
  return { repo: repo ?? from.repo, agent: agent ?? from.agent };
}

type Parts = { readonly parts: Section[]; readonly prose: string[] };

function partsOf(shaping: Shaping, section: Section, depth: number): Parts {
  const found: Parts = { parts: [], prose: [] };
  for (const child of section.children) {
    if (!isWork(child)) found.prose.push(asProse(child));
    else if (depth + 1 < DEEPEST_CHILD || !child.children.some(isWork)) found.parts.push(child);
    else moveUp(shaping, child, found);
  }
  return found;
}

/** An item is work; a heading is if there is work under it or if it is marked as such. */
const isWork = ({ level, words, after, branch, children }: Section): boolean =>
  !words.isNotes &&
  (level === ITEM_LEVEL ||
    after.length > 0 ||
    branch !== null ||
    words.type !== null ||
    words.priority !== null ||
    words.labels.length > 0 ||
    words.estimateMinutes !== null ||
    children.some(isWork));

function asProse(section: Section): string {
  const marks = section.level === ITEM_LEVEL ? '-' : '#'.repeat(section.level);
  const parts = [trimmed(section.body), ...section.children.map(asProse)];
  return [`${marks} ${section.words.title}`, ...parts].filter((text) => text !== '').join('\n\n');
}

/** Ids have three levels below the root, so what is deeper joins the level above. */
function moveUp(shaping: Shaping, section: Section, found: Parts): void {
  shaping.problems.push({
    line: section.line,
    kind: 'warning',
    message: `"${section.words.title}" is nested too deep to be an epic; what is under it belongs to the one above`,
  });
  const text = trimmed(section.body);
  if (text !== '') found.prose.push(`${section.words.title}\n\n${text}`);
  for (const child of section.children) {
    if (!isWork(child)) found.prose.push(asProse(child));
    else if (child.children.some(isWork)) moveUp(shaping, child, found);
    else found.parts.push(child);
  }
}

function warnAbout(
  { problems }: Shaping,
  { branch, words, line }: Section,
  { isEpic, depth }: { isEpic: boolean; depth: number },
): void {
  if (branch?.wanted && depth === 0) {
    const message = 'the whole plan has a branch of its own anyway; say it under a lower heading';
    problems.push({ line: branch.line, kind: 'warning', message });
  } else if (branch?.wanted && !isEpic) {
    const message = 'only a heading with tasks under it can have a branch of its own';
    problems.push({ line: branch.line, kind: 'warning', message });
  }
  if (isEpic && words.type !== null && words.type !== 'epic') {
    const message = `"${words.title}" has tasks under it, so it is an epic and not a ${words.type}`;
    problems.push({ line, kind: 'warning', message });
  }
}

/** Lines as one text, with no margin, no empty ones at its ends and never two in a row. */
function trimmed(lines: readonly string[]): string {
  const kept = lines.filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''));
  if (kept[0] === '') kept.shift();
  let margin = Infinity;
  for (const line of kept) if (line !== '') margin = Math.min(margin, blanksBefore(line));
  return kept
    .map((line) => line.slice(margin))
    .join('\n')
    .trimEnd();
}

const blanksBefore = (text: string): number => text.length - text.trimStart().length;

/** What a section that moved up stands for: the tasks under it. */
export function tasksUnder(section: Section, keysOf: Shape['keysOf']): readonly string[] {
  return keysOf.get(section) ?? section.children.flatMap((child) => tasksUnder(child, keysOf));
}
