import { shape } from '../command.ts';

const REPO = {
  kind: 'text',
  name: 'repo',
  value: 'REPO',
  summary: 'for tasks that name none',
} as const;
const DRY_RUN = {
  kind: 'flag',
  name: 'dry-run',
  summary: 'say what would happen, write nothing',
} as const;

export const draft = shape({
  path: ['draft'],
  group: 'Work',
  summary: 'Turn a PRD into an epic with sub-epics, tasks and order',
  description:
    'Headings are epics, list items are tasks, indented text is description. [bug], P1 and #label ' +
    'are tags; "after: a, b" lines and numbered lists give the order. Prints the id of the root.',
  args: [{ name: 'file', summary: 'a Markdown file, or - for standard input' }],
  options: [REPO, DRY_RUN],
  examples: [
    { run: 'convoy draft PRD.md', says: 'write the tasks of a PRD down' },
    { run: 'convoy draft PRD.md --dry-run', says: 'see the tree first' },
  ],
});

export const importFile = shape({
  path: ['import'],
  group: 'Work',
  summary: 'Take tasks from a Beads JSONL file',
  description: 'One batch: bad edges, stale and unreadable rows are listed, the rest is taken.',
  args: [{ name: 'file', summary: 'a JSONL file, or - for standard input' }],
  options: [REPO, DRY_RUN],
  examples: [
    { run: 'convoy import .beads/issues.jsonl', says: 'bring a Beads project along' },
    { run: 'convoy import issues.jsonl --dry-run --json', says: 'see what would be taken' },
  ],
});

export const exportFile = shape({
  path: ['export'],
  group: 'Work',
  summary: 'Print every task as Beads JSONL',
  args: [],
  options: [{ kind: 'flag', name: 'beads', summary: 'as Beads JSONL, the only form so far' }],
  examples: [
    { run: 'convoy export --beads > issues.jsonl', says: 'write a file that Beads reads' },
    { run: 'convoy export --beads | head -1', says: 'look at the first task' },
  ],
});
