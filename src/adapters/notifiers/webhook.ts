import { createHmac } from 'node:crypto';
import type { Sent } from '../../domain/notify/delivery.ts';
import type { Notifier } from '../../ports/notifier.ts';
import { mayChange, postJson, type Posted } from './post.ts';
import { wireOf } from './wire.ts';

export type Webhook = {
  readonly url: string;
  /** Names the variable with the signing secret; null sends unsigned. */
  readonly secretEnv: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly timeoutMs: number;
};

/**
 * Posts JSON, signed after the Standard Webhooks scheme: `webhook-id` is the same for a repeated
 * message, `webhook-signature` is an HMAC-SHA256 over id, time and body.
 */
export function webhook({ url, secretEnv, env, now, timeoutMs }: Webhook): Notifier {
  return {
    repeatable: true,
    async send(message) {
      const secret = secretEnv === null ? null : (env[secretEnv] ?? '');
      if (secret === '') return { kind: 'failed', reason: `${secretEnv} is not set` };
      const body = JSON.stringify(wireOf(message));
      const time = String(Math.floor(now() / 1000));
      const signed = secret === null ? {} : signatureOf(secret, message.id, time, body);
      const headers = { 'webhook-id': message.id, 'webhook-timestamp': time, ...signed };
      return sentOf(await postJson(url, body, headers, timeoutMs));
    },
  };
}

function signatureOf(
  secret: string,
  id: string,
  time: string,
  body: string,
): Record<string, string> {
  const key = secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret);
  const digest = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return { 'webhook-signature': `v1,${digest}` };
}

function sentOf(posted: Posted): Sent {
  if (posted.kind === 'not-reached') return { kind: 'failed', reason: posted.reason };
  if (posted.kind === 'broken-off') return { kind: 'unsure', reason: posted.reason };
  const { status } = posted;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  return { kind: mayChange(status) ? 'failed' : 'refused', reason: `HTTP ${status}` };
}
