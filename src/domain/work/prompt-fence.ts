// oxlint-disable no-control-regex -- control characters are what is taken out here
const SHORTEST_FENCE = 4;

/** Control characters, and the marks that make text read in another order than it is written. */
const UNSEEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** Sets text of others apart. The fence is longer than any run of its sign inside, so it cannot be closed early. */
export function fenced(label: string, text: string): string {
  const body = visible(text);
  const longest = (body.match(/~+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '~'.repeat(Math.max(SHORTEST_FENCE, longest + 1));
  return `${fence} ${label}\n${body}\n${fence}`;
}

/** The text as a person would see it: no escapes, no hidden direction marks, one kind of line end. */
export const visible = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replaceAll(UNSEEN, '');

/** Text for one line, such as a title; it cannot begin a line of its own. */
export const oneLine = (text: string): string => visible(text).replaceAll(/\s+/g, ' ').trim();

/** A long text without its middle: the end of a log says more than its beginning. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor(most / 4);
  const left = text.length - most;
  return `${text.slice(0, head)}\n… ${left} characters left out …\n${text.slice(text.length - (most - head))}`;
}
