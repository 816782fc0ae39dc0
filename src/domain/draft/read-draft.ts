import type { DraftPlan, DraftProblem } from './draft-plan.ts';
import { readMarkdown } from './markdown-lines.ts';
import { outline } from './outline.ts';
import { references } from './references.ts';
import { shape } from './shape.ts';
import { validatePlan } from './validate-plan.ts';

export type Draft = DraftPlan & { readonly problems: readonly DraftProblem[] };

/**
 * Reads a plan out of a Markdown document, the same plan every time.
 *
 * What is what
 * - The first `#` heading is the root epic (else the title in the front matter, else the name of
 *   the file). Other headings are epics, one in the other by their level.
 * - List items under a heading are tasks. What is nested under a task belongs to it: boxes
 *   (`- [ ]`) are its acceptance criteria, all else (text, lists, tables, code) its description.
 *   Only under an item that ends with `:` or is marked `[epic]` are nested items tasks.
 * - Text under a heading is the description of its epic. A heading with no task under it is text
 *   of the epic above, unless it is tagged or says `after`; then it is a task. `[notes]` after a
 *   heading makes text of all that is under it. Items under "Acceptance criteria" are those of the
 *   epic above.
 *
 * What is said about it
 * - At either end of a title: `[bug]` (any type), `P0` to `P4`, `#label`, `~30m`, `~2h`, and last
 *   `(after: a, b)`.
 * - On a line of its own below: `after: a, b` or `depends on a, b`; `repo: x` and `agent: x`, which
 *   hold for everything under a heading; `branch: yes` for an epic with a branch of its own.
 *
 * In which order
 * - Items of a numbered list wait each for the one before, and so do numbered headings
 *   (`## 2. API`) of one level. `after: none` takes one out of the row.
 * - A reference is a title in any spelling that has the same letters (`user-store`), or a number:
 *   `2` or `#2` is the second among its neighbours, `2.1` the first under the second from the top.
 *
 * Ids have three levels below the root. What is nested deeper joins the level above.
 */
export function readDraft(text: string, name: string): Draft {
  const markdown = readMarkdown(text);
  const { root: section, ticked } = outline(markdown, name);
  const { root, keysOf, problems: ofShape } = shape(section);
  const { edges, problems: ofReferences } = references(section, keysOf);
  const problems: DraftProblem[] = [
    ...markdown.unclosed.map(({ line, what }) =>
      warning(line, `the ${what} that begins here never ends`),
    ),
    ...ticked.map((line) =>
      warning(line, 'it is ticked off and planned all the same; delete it if it is done'),
    ),
    ...ofShape,
    ...ofReferences,
    ...validatePlan({ root, edges }),
  ];
  return { root, edges, problems: problems.toSorted((a, b) => a.line - b.line) };
}

const warning = (line: number, message: string): DraftProblem => ({
  line,
  kind: 'warning',
  message,
});
