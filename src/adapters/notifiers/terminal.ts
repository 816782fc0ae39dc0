import { appendFileSync } from 'node:fs';
import type { Notifier } from '../../ports/notifier.ts';

export type TerminalPlace = {
  readonly logFile: string;
  readonly say: (line: string) => void;
};

/** Says it where the engine runs, and keeps it in a file. */
export function terminal({ logFile, say }: TerminalPlace): Notifier {
  return {
    repeatable: false,
    async send({ at, title, text }) {
      const body = text.split('\n').map((line) => `  ${clean(line)}`);
      const lines = [`${new Date(at).toISOString()} ${clean(title)}`, ...body];
      try {
        appendFileSync(logFile, `${lines.join('\n')}\n`, { mode: 0o600 });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { kind: 'failed', reason: `${logFile}: ${reason}` };
      }
      for (const line of lines) say(line);
      return { kind: 'delivered' };
    },
  };
}

/** Nothing a task is called may move the cursor or change colours. */
const clean = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, ' ');
