import { listNotifications, type NotificationJson } from '../../contract/routes/notifications.ts';
import type { Run } from '../command.ts';
import type { notifications } from '../commands/notifications.ts';
import { allPages } from './pages.ts';
import { some } from './task-fields.ts';

const LATEST = 20;

export const run: Run<typeof notifications> = async (context) => {
  const { options, call } = context;
  const filters = { target: options.target, status: some(options.status) };
  const found = await allPages<NotificationJson>(options.all ? undefined : LATEST, async (page) => {
    const answer = await call(listNotifications, { query: { ...filters, ...page } });
    return { rows: answer.notifications, next: answer.next };
  });
  return {
    json: { notifications: found },
    text: async () => {
      if (found.length === 0) return 'Nobody was told anything yet.';
      return (await import('../render/notification-view.ts')).notificationLines(found, context);
    },
  };
};
