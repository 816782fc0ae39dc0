import type { Notifier } from '../../ports/notifier.ts';
import { mayChange, postJson } from './post.ts';

/** Posts to a Slack-compatible incoming webhook, which cannot tell a repeated message from a new one. */
export function slack({ url, timeoutMs }: { url: string; timeoutMs: number }): Notifier {
  return {
    repeatable: false,
    async send({ title, text }) {
      const body = JSON.stringify({ text: `*${plain(title)}*\n${plain(text)}` });
      const posted = await postJson(url, body, {}, timeoutMs);
      if (posted.kind === 'not-reached') return { kind: 'failed', reason: posted.reason };
      if (posted.kind === 'broken-off') return { kind: 'unsure', reason: posted.reason };
      const { status } = posted;
      if (status >= 200 && status < 300) return { kind: 'delivered' };
      return { kind: mayChange(status) ? 'failed' : 'refused', reason: `HTTP ${status}` };
    },
  };
}

/** No title may mention a channel or hide a link. */
const plain = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
