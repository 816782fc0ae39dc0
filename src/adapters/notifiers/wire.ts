import type { Message, Told } from '../../ports/notifier.ts';

/** A message as programs get it. */
export function wireOf({ id, kind, at, title, text, notifications }: Message): object {
  const [only] = notifications;
  const single = notifications.length === 1 && only !== undefined;
  return {
    schema: 'convoy.v1',
    id,
    kind,
    at: new Date(at).toISOString(),
    title,
    text,
    ...(single
      ? { subject: only.subject, epoch: only.epoch, facts: only.facts }
      : { notifications: notifications.map(toldOf) }),
  };
}

const toldOf = ({ at, ...told }: Told): object => ({ ...told, at: new Date(at).toISOString() });
