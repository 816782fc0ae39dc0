import type { Context } from 'hono';
import type { Problem } from '../contract/problem.ts';
import { SCHEMA } from '../contract/schemas/words.ts';
import type { Services } from './context.ts';
import { type Caller, type Guarded, tooMany, turnedAway } from './guard.ts';
import { problemResponse } from './problem-response.ts';
import { readText } from './read-body.ts';

/** What the holder of the engine does with news from a forge. */
export type Webhooks = {
  /** The secret that both sides know; null when webhooks are not set up. */
  githubSecret(): string | null;
  /** Nothing in a delivery is believed: it only makes the engine look. */
  arrived(): void;
};

export const GITHUB_WEBHOOK = '/webhooks/github';

/** GitHub sends no more than this. */
const MOST_BYTES = 25 * 1024 * 1024;

/** Takes a delivery of GitHub's; one without a good signature is refused before it is read. */
export async function githubWebhook(
  context: Context<Guarded>,
  { webhooks }: Services,
  { network }: Caller,
): Promise<Response> {
  const request = context.req.raw;
  const secret = webhooks?.githubSecret() ?? null;
  if (secret === null) return turnedAway(context, network, problemResponse(NOT_SET_UP));
  const signature = signatureIn(request.headers.get('x-hub-signature-256'));
  if (signature === null) return turnedAway(context, network, problemResponse(UNSIGNED));
  const text = await readText(request, MOST_BYTES);
  if (!text.ok) return problemResponse(text.error);
  if (!(await isSigned(secret, signature, text.value)))
    return turnedAway(context, network, problemResponse(WRONG_SIGNATURE));
  const waitMs = network?.limits.asked('webhook github', 'worker') ?? 0;
  if (waitMs > 0) return tooMany(waitMs);
  const isPing = request.headers.get('x-github-event') === 'ping';
  if (!isPing) webhooks?.arrived();
  return Response.json({ schema: SCHEMA, accepted: true }, { status: 202 });
}

function signatureIn(header: string | null): Uint8Array<ArrayBuffer> | null {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(header ?? '')?.[1];
  return hex === undefined
    ? null
    : Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Compares in constant time. */
async function isSigned(
  secret: string,
  signature: Uint8Array<ArrayBuffer>,
  text: string,
): Promise<boolean> {
  const bytes = new TextEncoder();
  const how = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), how, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, signature, bytes.encode(text));
}

const NOT_SET_UP: Problem = {
  kind: 'forbidden',
  code: 'webhooks_not_set_up',
  message: 'Webhooks of GitHub are not set up here.',
  remedy: 'Name the variable with their secret in [github] webhook_secret_env, and set it.',
};

const UNSIGNED: Problem = {
  kind: 'unauthenticated',
  code: 'unsigned',
  message: 'The delivery has no signature.',
  remedy: 'Give the webhook the secret that is in the variable of webhook_secret_env.',
};

const WRONG_SIGNATURE: Problem = {
  kind: 'unauthenticated',
  code: 'wrong_signature',
  message: 'The signature does not fit the delivery.',
  remedy: 'Give the webhook the secret that is in the variable of webhook_secret_env.',
};
