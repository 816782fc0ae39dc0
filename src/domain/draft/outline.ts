import { directiveIn } from './directive.ts';
import type { Markdown, Token } from './markdown-lines.ts';
import { titleWords, type TitleWords } from './title-words.ts';

/** A heading or an item with everything that was written under it, before it is a plan. */
export type Section = {
  readonly line: number;
  readonly words: TitleWords;
  /** 0 for the root, 1 to 6 for a heading, 7 for an item. */
  readonly level: number;
  readonly indent: number;
  /** The column at which its own text begins. */
  readonly content: number;
  /** The number that was written before the title. */
  readonly number: string | null;
  /** The one before it in a numbered row. */
  readonly previous: Section | null;
  readonly parent: Section | null;
  readonly children: Section[];
  readonly body: string[];
  readonly acceptance: { text: string; done: boolean }[];
  readonly after: { references: string; line: number }[];
  repo: string | null;
  agent: string | null;
  branch: { wanted: boolean; line: number } | null;
  lastNumbered: Section | null;
};

export const ITEM_LEVEL = 7;
const DEEPEST_ITEM = 20;

export type Outline = {
  readonly root: Section;
  /** Items under a heading that were ticked off already. */
  readonly ticked: readonly number[];
};

/** Puts every line where it belongs: under its item, else under its heading. */
export function outline({ tokens, frontMatter }: Markdown, name: string): Outline {
  const first = tokens.find((token) => token.kind === 'heading' && token.level === 1);
  const title = first?.kind === 'heading' ? first.text : (frontMatter.get('title') ?? name);
  const root = section({ line: first?.line ?? 1, text: title, level: 0, parent: null });
  root.repo = frontMatter.get('repo') || null;
  root.agent = frontMatter.get('agent') || null;
  const place: Place = {
    root,
    headings: [root],
    items: [],
    criteria: null,
    afterBlank: true,
    open: null,
    ticked: [],
  };
  for (const token of tokens) {
    if (token !== first) put(place, token);
    else startHeading(place, root);
    place.afterBlank = token.kind === 'blank';
  }
  return { root, ticked: place.ticked };
}

type Place = {
  readonly root: Section;
  headings: Section[];
  items: Section[];
  /** Under "Acceptance criteria" items are criteria of the heading above. */
  criteria: Section | null;
  afterBlank: boolean;
  /** A criterion that the next line may go on with. */
  open: { text: string } | null;
  readonly ticked: number[];
};

type Start = {
  line: number;
  text: string;
  level: number;
  parent: Section | null;
  indent?: number;
  content?: number;
  number?: string | null;
  previous?: Section | null;
};

const section = ({
  line,
  text,
  level,
  parent,
  indent = 0,
  content = 0,
  number = null,
  previous = null,
}: Start): Section => ({
  line,
  words: titleWords(text),
  level,
  indent,
  content,
  number,
  previous,
  parent,
  children: [],
  body: [],
  acceptance: [],
  after: [],
  repo: null,
  agent: null,
  branch: null,
  lastNumbered: null,
});

function put(place: Place, token: Token): void {
  if (token.kind !== 'text') place.open = null;
  switch (token.kind) {
    case 'heading':
      return putHeading(place, token);
    case 'item':
      return putItem(place, token);
    case 'blank':
      return void (place.items.at(-1) ?? heading(place)).body.push('');
    default:
      return putText(place, token);
  }
}

const heading = ({ headings, root }: Place): Section => headings.at(-1) ?? root;

function startHeading(place: Place, at: Section): void {
  place.headings = [...place.headings.filter(({ level }) => level < at.level), at];
  place.items = [];
  place.criteria = null;
}

const NUMBERED = /^(\d{1,4}(?:\.\d{1,4})+[.)]?|\d{1,4}[.)]) (.*\S)$/;
const CRITERIA = /^acceptance(?: criteria)?:?$/i;

function putHeading(
  place: Place,
  { line, level, text }: Extract<Token, { kind: 'heading' }>,
): void {
  const parent = place.headings.findLast((each) => each.level < level) ?? place.root;
  if (CRITERIA.test(text)) {
    startHeading(place, parent);
    place.criteria = parent;
    return;
  }
  const [, number = null, title = text] = NUMBERED.exec(text) ?? [];
  const previous = number === null ? null : parent.lastNumbered;
  const found = section({
    line,
    text: title,
    level,
    parent,
    number: number?.replace(/[.)]$/, '') ?? null,
    previous,
  });
  found.after.push(...inTitle(found));
  if (number !== null) parent.lastNumbered = found;
  parent.children.push(found);
  startHeading(place, found);
}

const inTitle = ({ words, line }: Section) =>
  words.after === null ? [] : [{ references: words.after, line }];

type Item = Extract<Token, { kind: 'item' }>;

function putItem(place: Place, item: Item): void {
  place.items = place.items.filter((each) => item.indent >= each.indent + 2);
  const above = place.items.at(-1);
  if (isNotes(place)) return void heading(place).body.push(asWritten(item));
  if (place.criteria && !above) {
    return criterion(place, place.criteria, item);
  }
  if (!above) return startItem(place, item, heading(place));
  if (item.box !== null) return criterion(place, above, item);
  if (follow(above, item.text, item.line)) return;
  if (hasParts(above) && place.items.length < DEEPEST_ITEM) return startItem(place, item, above);
  above.body.push(asWritten(item, above));
}

function criterion(place: Place, owner: Section, { text, box }: Item): void {
  const found = { text, done: box === 'ticked' };
  owner.acceptance.push(found);
  place.open = found;
}

const isNotes = ({ headings }: Place): boolean => headings.some(({ words }) => words.isNotes);

/** What is nested under an item is part of its text, unless the item says that parts follow. */
const hasParts = ({ words }: Section): boolean => words.endsWithColon || words.type === 'epic';

function startItem(place: Place, item: Item, parent: Section): void {
  const number = /\d/.test(item.marker) ? item.marker.slice(0, -1) : null;
  const previous =
    number === null || parent.lastNumbered?.level !== ITEM_LEVEL ? null : parent.lastNumbered;
  const found = section({
    line: item.line,
    text: item.text,
    level: ITEM_LEVEL,
    parent,
    indent: item.indent,
    content: item.indent + item.marker.length + 1,
    number,
    previous,
  });
  found.after.push(...inTitle(found));
  if (item.box === 'ticked') place.ticked.push(item.line);
  parent.lastNumbered = number === null ? null : found;
  parent.children.push(found);
  place.items.push(found);
}

function asWritten({ indent, marker, text, box }: Item, above?: Section): string {
  const ticks = { empty: '[ ] ', ticked: '[x] ' };
  const depth = above ? Math.max(indent - above.content, 0) : indent;
  return `${' '.repeat(depth)}${marker} ${box ? ticks[box] : ''}${text}`;
}

type Text = Extract<Token, { lines: unknown }>;

function putText(place: Place, token: Text): void {
  const text = token.lines[0]!.trim();
  if (goesOn(place, text)) return;
  const item = itemAround(place, token);
  const owner = item ?? place.criteria ?? heading(place);
  if (!item) endList(heading(place));
  if (token.kind === 'text' && !isNotes(place) && follow(owner, text, token.line)) return;
  const margin = Math.min(token.indent, item?.content ?? 3);
  for (const each of token.lines) owner.body.push(each.slice(Math.min(margin, blanksBefore(each))));
}

function itemAround(place: Place, { indent, kind }: Text): Section | undefined {
  const inside = place.items.filter((each) => indent >= each.indent + 2);
  // Text right after an item goes on with it, however it is indented.
  if (inside.length > 0 || place.afterBlank || kind === 'code') place.items = inside;
  return place.items.at(-1);
}

function goesOn(place: Place, text: string): boolean {
  const { open } = place;
  if (!open || directiveIn(text) !== null) place.open = null;
  else open.text += ` ${text}`;
  return place.open !== null;
}

/** Text between two lists ends the first; headings go on counting. */
function endList(at: Section): void {
  if (at.lastNumbered?.level === ITEM_LEVEL) at.lastNumbered = null;
}

const blanksBefore = (text: string): number => text.length - text.trimStart().length;

function follow(owner: Section, text: string, line: number): boolean {
  const directive = directiveIn(text);
  if (!directive) return false;
  if (directive.says === 'after') owner.after.push({ references: directive.references, line });
  else if (directive.says === 'branch') owner.branch = { wanted: directive.wanted, line };
  else owner[directive.says] = directive.name;
  return true;
}
