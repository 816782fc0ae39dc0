import * as z from 'zod';
import { route } from '../route.ts';
import { reason, repoName, schemaTag } from '../schemas/words.ts';

const gate = z.object({ name: z.string(), run: z.array(z.string()), shell: z.boolean() });

export const repo = z.object({
  name: z.string(),
  path: z.string().nullable(),
  url: z.string().nullable(),
  prefix: z.string(),
  target: z.string().nullable(),
  agent: z.string().nullable(),
  merge_mode: z.string(),
  strategy: z.string(),
  delivery: z.string(),
  review: z.string(),
  slots: z.number(),
  gates: z.array(gate),
  parked: z.string().nullable().describe('Why nothing starts here, or null'),
  tasks: z.object({
    open: z.number(),
    running: z.number(),
    submitted: z.number(),
    done: z.number(),
  }),
});
export type RepoJson = z.output<typeof repo>;

const byName = z.object({ name: repoName });
const one = z.object({ schema: schemaTag, repo });

export const listRepos = route({
  id: 'repo.list',
  method: 'GET',
  path: '/repos',
  summary: 'The repositories of this workspace',
  output: z.object({ schema: schemaTag, repos: z.array(repo) }),
});

export const addRepo = route({
  id: 'repo.add',
  method: 'POST',
  path: '/repos',
  summary: 'Register a repository in config.toml',
  body: z.strictObject({
    name: repoName.optional(),
    path: z.string().trim().min(1).optional(),
    url: z.string().trim().min(1).optional(),
    prefix: z.string().trim().optional(),
    target: z.string().trim().min(1).optional(),
    agent: z.string().trim().min(1).optional(),
  }),
  output: one,
});

export const showRepo = route({
  id: 'repo.show',
  method: 'GET',
  path: '/repos/{name}',
  summary: 'One repository with what runs and waits in it',
  params: byName,
  output: one.extend({
    running: z.array(
      z.object({
        task: z.string(),
        title: z.string(),
        convoy: z.string().nullable(),
        worker: z.string().nullable(),
      }),
    ),
    queue: z.array(z.unknown()),
  }),
});

export const setRepo = route({
  id: 'repo.set',
  method: 'PATCH',
  path: '/repos/{name}',
  summary: 'Change settings of a repository, keeping the comments of config.toml',
  params: byName,
  body: z.strictObject({ set: z.record(z.string(), z.unknown()) }),
  output: one,
});

export const parkRepo = route({
  id: 'repo.park',
  method: 'POST',
  path: '/repos/{name}/park',
  summary: 'Start nothing in this repository until it is unparked',
  params: byName,
  body: z.strictObject({ reason: reason.optional() }),
  output: one,
});

export const unparkRepo = route({
  id: 'repo.unpark',
  method: 'POST',
  path: '/repos/{name}/unpark',
  summary: 'Let work start in this repository again',
  params: byName,
  output: one,
});

export const removeRepo = route({
  id: 'repo.remove',
  method: 'DELETE',
  path: '/repos/{name}',
  summary: 'Take a repository out of the workspace; its tasks stay',
  params: byName,
  query: z.object({ force: z.enum(['true', 'false']).optional() }),
  output: z.object({ schema: schemaTag, removed: z.string() }),
});
