import type { NotificationJson } from '../../contract/routes/notifications.ts';
import { oneLine } from './heading.ts';
import { paletteFor } from './paint.ts';
import type { View } from './task-view.ts';
import { relative } from './time.ts';

/** Each notification on a line, what became of it below. */
export function notificationLines(
  notifications: readonly NotificationJson[],
  view: View,
): string[] {
  const { grey, amber } = paletteFor(view.color);
  return notifications.flatMap(({ at, title, deliveries }) => [
    oneLine([relative(Date.parse(at), view.now()), title], view.columns),
    ...(deliveries.length === 0 ? [grey('  stored; it is for nobody by name')] : []),
    ...deliveries.map((delivery) => {
      const paint = delivery.status === 'delivered' ? grey : amber;
      return oneLine(['', { text: deliveryLine(delivery), paint }], view.columns);
    }),
  ]);
}

function deliveryLine({
  target,
  status,
  error,
  next_at,
}: NotificationJson['deliveries'][number]): string {
  const why = error === null ? '' : `: ${error}`;
  const again = next_at === null || error === null ? '' : ` (again at ${next_at})`;
  return `${target} ${status}${why}${again}`;
}
