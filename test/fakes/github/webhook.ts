import { createHmac, randomUUID } from 'node:crypto';

/** A delivery as GitHub makes it: the body signed with the secret that both sides know. */
export function deliver(
  url: string,
  secret: string,
  event: string,
  payload: object,
  change: (headers: Record<string, string>) => Record<string, string> = (same) => same,
): Promise<Response> {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return fetch(url, {
    method: 'POST',
    headers: change({
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/fake',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
    }),
    body,
  });
}

export const pullRequestEvent = (slug: string, number: number, action: string): object => ({
  action,
  number,
  repository: { full_name: slug },
  pull_request: { number, merged: true, state: 'closed' },
});
