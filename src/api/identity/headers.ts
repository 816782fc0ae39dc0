import type { MiddlewareHandler } from 'hono';

const CONTENT_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const ALWAYS = {
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Puts on every answer what keeps a browser from doing more with it than we mean. */
export const secured: MiddlewareHandler = async (context, next) => {
  await next();
  const { headers } = context.res;
  for (const [name, value] of Object.entries(ALWAYS)) headers.set(name, value);
  if (context.req.path.startsWith('/api/')) headers.set('cache-control', 'no-store');
};
