import * as z from 'zod';
import { route } from '../route.ts';
import { repoName, schemaTag } from '../schemas/words.ts';

const LONGEST_DOCUMENT = 128 * 1024 * 1024;

export const importBeads = route({
  id: 'interchange.import',
  method: 'POST',
  path: '/import',
  summary: 'Take tasks and edges from Beads JSONL, as one batch',
  roles: ['manager'],
  body: z.strictObject({
    jsonl: z.string().max(LONGEST_DOCUMENT),
    repo: repoName.optional(),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    schema: schemaTag,
    created: z.number(),
    updated: z.number(),
    unchanged: z.number(),
    skipped: z.number(),
    skipped_lines: z.array(z.object({ line: z.number(), why: z.string() })),
    stale: z.array(z.string()),
    kept: z.array(z.object({ id: z.string(), line: z.number(), why: z.string() })),
    bad_edges: z.array(
      z.object({ from: z.string(), on: z.string(), kind: z.string(), why: z.string() }),
    ),
    external: z.array(z.object({ from: z.string(), on: z.string() })),
    dry_run: z.boolean(),
  }),
});

export const exportBeads = route({
  id: 'interchange.export',
  method: 'GET',
  path: '/export',
  summary: 'Every task as Beads JSONL, oldest first',
  output: z.object({ schema: schemaTag, tasks: z.number(), jsonl: z.string() }),
});

export const draftTasks = route({
  id: 'interchange.draft',
  method: 'POST',
  path: '/draft',
  summary: 'Turn a PRD into an epic with sub-epics, tasks and edges',
  roles: ['manager'],
  body: z.strictObject({
    text: z.string().min(1).max(2_000_000),
    name: z.string().min(1).max(200),
    repo: repoName.optional(),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    schema: schemaTag,
    root: z.string().nullable(),
    tasks: z.array(
      z.object({
        id: z.string(),
        key: z.string(),
        title: z.string(),
        type: z.string(),
        parent: z.string().nullable(),
        depends_on: z.array(z.string()),
      }),
    ),
    warnings: z.array(z.object({ line: z.number(), message: z.string() })),
    dry_run: z.boolean(),
  }),
});
