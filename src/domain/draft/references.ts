import type { DraftEdge, DraftProblem } from './draft-plan.ts';
import { nearNames } from './near-names.ts';
import type { Section } from './outline.ts';
import { tasksUnder, type Shape } from './shape.ts';

export type References = {
  readonly edges: readonly DraftEdge[];
  readonly problems: readonly DraftProblem[];
};

/** Suggestions cost a look at every title, so only the first few mistakes get them. */
const MOST_SUGGESTIONS = 20;

/** Turns numbered rows and `after` lines into edges. */
export function references(root: Section, keysOf: Shape['keysOf']): References {
  const names = indexOf(root, keysOf);
  const edges = new Map<string, DraftEdge>();
  const problems: DraftProblem[] = [];
  const connect = (from: Section, on: Section, line: number): void => {
    for (const later of tasksUnder(from, keysOf)) {
      for (const earlier of tasksUnder(on, keysOf)) {
        const name = `${later} ${earlier}`;
        if (!edges.has(name)) edges.set(name, { from: later, on: earlier, line });
      }
    }
  };
  for (const section of names.all) {
    const isFree = section.after.some(({ references: text }) => NOTHING.test(text));
    const previous = isFree ? null : before(section, keysOf);
    if (previous) connect(section, previous, section.line);
    for (const { references: text, line } of section.after) {
      if (NOTHING.test(text)) continue;
      for (const found of find(names, section, text)) {
        if ('target' in found) connect(section, found.target, line);
        else {
          const hint = problems.length < MOST_SUGGESTIONS ? found.hint() : '';
          problems.push({ line, kind: 'error', message: found.wrong + hint });
        }
      }
    }
  }
  return { edges: [...edges.values()], problems };
}

/** Takes a task out of its numbered row: it waits for nothing. */
const NOTHING = /^(?:none|nothing|-)\.?$/i;

/** The one before in a numbered row that is still there. */
function before(section: Section, keysOf: Shape['keysOf']): Section | null {
  let previous = section.previous;
  while (previous && tasksUnder(previous, keysOf).length === 0) previous = previous.previous;
  return previous;
}

type Names = {
  readonly all: readonly Section[];
  readonly bySlug: ReadonlyMap<string, readonly Section[]>;
  readonly byKey: ReadonlyMap<string, Section>;
  readonly keysOf: Shape['keysOf'];
};

function indexOf(root: Section, keysOf: Shape['keysOf']): Names {
  const all: Section[] = [];
  const bySlug = new Map<string, Section[]>();
  const byKey = new Map<string, Section>();
  const open = [root];
  for (let section = open.pop(); section; section = open.pop()) {
    open.push(...section.children.toReversed());
    if (tasksUnder(section, keysOf).length === 0) continue;
    all.push(section);
    const slug = titleSlug(section.words.title);
    // Everything is part of the root, so nothing can mean it.
    if (section !== root && slug !== '' && !bySlug.get(slug)?.push(section)) {
      bySlug.set(slug, [section]);
    }
    const key = keysOf.get(section)?.[0];
    if (key !== undefined) byKey.set(key, section);
  }
  return { all, bySlug, byKey, keysOf };
}

/** A title as it is written in a reference: small letters and digits with `-` between them. */
export const titleSlug = (title: string): string =>
  title
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

type Found = { readonly target: Section } | { readonly wrong: string; readonly hint: () => string };

/** A title may hold a comma or an "and", so the whole is tried before its parts. */
function find(names: Names, from: Section, text: string): Found[] {
  const whole = lookUp(names, from, text);
  if ('target' in whole) return [whole];
  const parts = (text.match(PARTS) ?? []).filter((part) => part.trim() !== '');
  return parts.flatMap((part) => {
    const found = lookUp(names, from, part);
    const smaller = (part.includes('"') ? [part] : part.split(/ and /i)).filter(
      (each) => each.trim() !== '',
    );
    if ('target' in found || smaller.length < 2) return [found];
    return smaller.map((each) => lookUp(names, from, each));
  });
}

/** What stands between commas; a comma in quotes is part of a title. */
const PARTS = /(?:"[^"]*"|[^,"])+/g;

function lookUp(names: Names, from: Section, text: string): Found {
  const asked = text
    .trim()
    .replaceAll(/^and |["'`“”]|\.$/g, '')
    .trim();
  const byNumber =
    /^#?\d{1,4}(?:\.\d{1,4})*$/.test(asked) && numbered(names, from, asked.replace('#', ''));
  if (byNumber) return { target: byNumber };
  const slug = titleSlug(asked);
  const titled = names.bySlug.get(slug) ?? [];
  if (titled.length === 1) return { target: titled[0]! };
  if (titled.length > 1) {
    const keys = titled.flatMap((each) => tasksUnder(each, names.keysOf).slice(0, 1));
    const wrong = `"${asked}" is the title of several: say which by its number, ${keys.join(' or ')}`;
    return { wrong, hint: () => '' };
  }
  return {
    wrong: `nothing here is called "${asked.slice(0, 100)}"`,
    hint: () => suggestion(nearNames(slug, names.bySlug.keys())),
  };
}

const suggestion = (near: readonly string[]): string =>
  near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;

/** A plain number counts among the neighbours first, then from the top; `2.1` from the top. */
function numbered(names: Names, from: Section, number: string): Section | null {
  const near = from.parent?.children.filter((each) => names.keysOf.has(each)) ?? [];
  const written = number.includes('.') ? names.all : near;
  return (
    written.find((each) => each.number === number) ??
    (number.includes('.') ? undefined : near[Number(number) - 1]) ??
    names.byKey.get(number) ??
    null
  );
}
