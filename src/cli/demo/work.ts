import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What the agent does for a task: the files of folders in examples/demo/work, and a commit. */
type Work = {
  readonly title: string;
  readonly files: readonly string[];
  readonly commit: string;
  /** Which attempt this is for; any, when left out. */
  readonly attempt?: number;
  readonly role?: 'worker' | 'resolver';
  /** Says so in this place, and begins to commit only when the other has begun as well. */
  readonly beside?: { readonly self: string; readonly other: string };
};

const HEALTH = 'GET /health says whether the store answers';
const LOG = 'Write one line of JSON for each request';

/** One entry for each task of examples/prds/service.md, and more where something goes wrong. */
export const WORK: readonly Work[] = [
  {
    title: 'Open the database and create the tables',
    files: ['open-database'],
    commit: 'store: open the file and create the tables',
  },
  {
    title: 'Save and find links',
    attempt: 1,
    files: ['save-and-find-hasty'],
    commit: 'store: save and find links',
  },
  {
    title: 'Save and find links',
    files: ['save-and-find'],
    commit: 'store: an unknown code gives nothing',
  },
  { title: 'Count a visit', files: ['count-visit'], commit: 'store: count visits' },
  { title: 'Make a short code', files: ['short-code'], commit: 'api: make short codes' },
  { title: 'POST /links saves an address', files: ['post-links'], commit: 'api: POST /links' },
  { title: 'GET /:code leads to the address', files: ['visit'], commit: 'api: GET /:code' },
  {
    title: 'GET /links/:code/stats shows the visits',
    files: ['stats'],
    commit: 'api: GET /links/:code/stats',
  },
  // Both put a line at the same place, so whichever comes second has to be resolved.
  {
    title: HEALTH,
    role: 'resolver',
    files: ['health', 'both'],
    commit: 'ops: health beside the request log',
  },
  {
    title: LOG,
    role: 'resolver',
    files: ['request-log', 'both'],
    commit: 'ops: the request log beside health',
  },
  {
    title: HEALTH,
    files: ['health'],
    commit: 'ops: GET /health',
    beside: { self: 'health', other: 'log' },
  },
  {
    title: LOG,
    files: ['request-log'],
    commit: 'ops: one line of JSON for each request',
    beside: { self: 'log', other: 'health' },
  },
  {
    title: 'End cleanly on SIGTERM',
    files: ['end-cleanly'],
    commit: 'ops: end cleanly on SIGTERM',
  },
  // What the reviewer asks for is the only task that is not in the plan.
  { title: '*', files: ['limit-body'], commit: 'api: a body may not be longer than 10 kB' },
];

const THINKING_MS = 400;
const PATIENCE_MS = 60_000;

/** The file for the scripted agent: what to write and commit for which task. */
export function agentScript(shipped: string, marks: string): string {
  const scripts = WORK.map((work) => ({
    when: {
      title: work.title,
      ...(work.attempt === undefined ? {} : { attempt: work.attempt }),
      ...(work.role === undefined ? {} : { role: work.role }),
    },
    steps: [
      { do: 'sleep', ms: THINKING_MS },
      ...work.files
        .flatMap((folder) => filesBelow(join(shipped, 'work', folder)))
        .map((file) => ({ do: 'write', ...file })),
      ...together(work, marks),
      { do: 'commit', message: work.commit },
    ],
  }));
  return `${JSON.stringify({ scripts }, null, 2)}\n`;
}

function together({ beside }: Work, marks: string): object[] {
  if (beside === undefined) return [];
  return [
    { do: 'write-outside', path: join(marks, `${beside.self}-began`), content: '' },
    { do: 'wait-for', path: join(marks, `${beside.other}-began`), timeoutMs: PATIENCE_MS },
  ];
}

const filesBelow = (folder: string): { path: string; content: string }[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => ({ path: relative(folder, file), content: readFileSync(file, 'utf8') }));
