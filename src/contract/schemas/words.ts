import * as z from 'zod';
import { LEVELS, LONGEST_KIND } from '../../domain/work/dependency.ts';
import { LONGEST_TITLE, TASK_STATUSES, TASK_TYPES } from '../../domain/work/task.ts';

/** Words that several requests and answers share. */
export const SCHEMA = 'convoy.v1';
export const schemaTag = z.literal(SCHEMA).default(SCHEMA);

export const idText = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe('An id, or a prefix of one that fits nothing else');
export const title = z
  .string()
  .trim()
  .min(1, 'a title needs at least one character')
  .max(LONGEST_TITLE, `a title has at most ${LONGEST_TITLE} characters`);
export const time = z.iso.datetime({ offset: true }).describe('ISO 8601 time');
export const taskType = z.enum(TASK_TYPES);
export const taskStatus = z.enum(TASK_STATUSES);
export const priority = z
  .union([z.literal(0), z.literal(1), z.literal(2), z.literal(3), z.literal(4)])
  .describe('0 is the most urgent');
export const label = z.string().trim().min(1).max(100);
export const words = z.string().max(200_000);
export const reason = z.string().trim().max(2000);
export const level = z.enum(LEVELS);
export const dependencyKind = z.string().trim().min(1).max(LONGEST_KIND);
export const repoName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, 'a repo name is lower-case letters, digits, . _ -');

/** Numbers in a query string arrive as text. */
export const limit = z.coerce.number().int().min(1).max(1000).default(100);
export const cursor = z.string().max(500).optional();
export const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1');
export const list = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : value.split(',')).filter(Boolean));
