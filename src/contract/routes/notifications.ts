import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../domain/notify/delivery.ts';
import { route } from '../route.ts';
import { cursor, limit, list, schemaTag, time } from '../schemas/words.ts';

const delivery = z.object({
  target: z.string().describe('A [notify.<name>] of the configuration, or the owner of an inbox'),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe('unconfirmed: it may have arrived and is not sent again; dead: given up'),
  tries: z.number(),
  next_at: time.nullable().describe('When it is tried again'),
  error: z.string().nullable(),
  updated_at: time,
});

const notification = z.object({
  id: z.string(),
  kind: z.string(),
  subject: z.string(),
  epoch: z.number(),
  seq: z.number().describe('The event that gave cause'),
  at: time,
  title: z.string(),
  text: z.string(),
  facts: z.record(z.string(), z.unknown()),
  deliveries: z.array(delivery),
});
export type NotificationJson = z.output<typeof notification>;

export const listNotifications = route({
  id: 'notification.list',
  method: 'GET',
  path: '/notifications',
  summary: 'What people were told, newest first, and whether it reached them',
  query: z.object({
    target: z.string().max(200).optional().describe('Only for this reader'),
    status: list
      .pipe(z.array(z.enum(DELIVERY_STATUSES)))
      .optional()
      .describe('Only with a delivery in one of these states'),
    limit,
    cursor,
  }),
  output: z.object({
    schema: schemaTag,
    notifications: z.array(notification),
    next: z.string().nullable(),
  }),
});
