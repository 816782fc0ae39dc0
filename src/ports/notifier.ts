import type { Sent } from '../domain/notify/delivery.ts';
import type { Instant } from '../domain/work/ids.ts';

/** Brings messages to people. */
export type Notifier = {
  /** Whether the far end can tell by the id that it has a message already. */
  readonly repeatable: boolean;
  /** Never throws and always ends: what goes wrong is an answer too. */
  send(message: Message): Promise<Sent>;
};

export type Told = {
  /** The same whenever the same thing is told. */
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly epoch: number;
  readonly at: Instant;
  readonly title: string;
  readonly text: string;
  /** What the text says, for programs. */
  readonly facts: Readonly<Record<string, unknown>>;
};

/** One notification, or a digest of many; `id` is the same whenever the same message is sent again. */
export type Message = {
  readonly id: string;
  readonly kind: string;
  readonly at: Instant;
  readonly title: string;
  readonly text: string;
  /** Never empty. */
  readonly notifications: readonly Told[];
};
