import { unreachable } from '../../lib/unreachable.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { Sink } from '../../ports/settings.ts';
import { commandNotifier } from './command.ts';
import { slack } from './slack.ts';
import { terminal } from './terminal.ts';
import { webhook } from './webhook.ts';

export type NotifierPlace = {
  /** Where commands run. */
  readonly cwd: string;
  readonly logFile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly say: (line: string) => void;
  readonly timeoutMs: number;
};

/** The notifier that a section of the configuration describes. */
export function notifierFor(sink: Sink, place: NotifierPlace): Notifier {
  switch (sink.sink) {
    case 'command':
      return commandNotifier({ argv: sink.command, ...place });
    case 'webhook':
      return webhook({ url: sink.url, secretEnv: sink.secretEnv, ...place });
    case 'slack':
      return slack({ url: sink.url, timeoutMs: place.timeoutMs });
    case 'terminal':
      return terminal(place);
    case 'inbox':
      return INBOX;
    default:
      return unreachable(sink);
  }
}

/** What is in the outbox is in the inbox: there is nothing to send. */
const INBOX: Notifier = { repeatable: true, send: async () => ({ kind: 'delivered' }) };
