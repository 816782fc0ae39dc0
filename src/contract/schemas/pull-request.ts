import * as z from 'zod';

/** A pull request of a change, as Convoy last saw it. */
export const pullRequest = z.object({
  number: z.number().nullable().describe('Null until the forge has answered'),
  url: z.string().nullable(),
  branch: z.string(),
  head: z.string(),
  state: z.enum(['intended', 'open', 'closed', 'merged']),
  waits: z.string().nullable().describe('What it waits for, in words'),
  closing: z.boolean().describe('Convoy is asked to close it'),
});

export type PullRequestJson = z.output<typeof pullRequest>;
