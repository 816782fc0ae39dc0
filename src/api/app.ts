import { Hono } from 'hono';
import { listEvents } from '../contract/routes/system.ts';
import type { Identity } from '../domain/identity/identity.ts';
import { allHandlers } from './all-handlers.ts';
import { answer } from './answer.ts';
import type { Services } from './context.ts';
import { unexpected } from './direct.ts';
import { eventStream } from './event-stream.ts';
import { type Caller, guard, type Guarded, turnedAway, watched, withoutSecrets } from './guard.ts';
import { secured } from './identity/headers.ts';
import { login } from './identity/login.ts';
import { problemResponse } from './problem-response.ts';
import { roleProblem } from './role-problem.ts';
import { GITHUB_WEBHOOK, githubWebhook } from './webhooks.ts';

export const API_ROOT = '/api/v1';

const NOBODY: Identity = {
  actor: 'anyone',
  role: 'viewer',
  subject: null,
  task: null,
  token: null,
  by: 'bearer',
};

/** Builds the API for a socket. Without one, commands ask the same handlers directly: see ask.ts. */
export async function createApp(services: Services, callers: Caller): Promise<Hono<Guarded>> {
  const handlers = await allHandlers();
  // Paths that need no token.
  const open = new Set(
    handlers
      .filter(({ route }) => route.roles.includes('anyone'))
      .map(({ route }) => API_ROOT + route.path),
  ).add(API_ROOT + GITHUB_WEBHOOK);
  const app = new Hono<Guarded>();
  app.use(secured);
  app.use(watched(callers));
  app.use(guard(callers, open));
  servePages(app, services, callers);
  app.get(`${API_ROOT}/events`, async (context, next) => {
    if (!(context.req.header('accept') ?? '').includes('text/event-stream')) return next();
    const problem = roleProblem(listEvents, context.get('who').identity);
    if (problem !== null) return problemResponse(problem);
    const request = context.req.raw;
    return eventStream(request, services, async () => (await callers.identify(request)).ok);
  });
  // Signed instead of authorised, and the signature is about the bytes: no route of the contract.
  app.post(API_ROOT + GITHUB_WEBHOOK, (context) => githubWebhook(context, services, callers));
  for (const handler of handlers) {
    const path = API_ROOT + handler.route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on(handler.route.method, path, (context) => {
      const who = open.has(path) ? { identity: NOBODY, csrf: null } : context.get('who');
      return answer(handler, context.req.raw, context.req.param(), services, who);
    });
  }
  app.notFound((context) =>
    problemResponse({
      kind: 'not_found',
      code: 'no_such_route',
      message: `There is nothing at ${context.req.method} ${withoutSecrets(context.req.path)}.`,
      remedy: 'GET /openapi.json lists every route.',
    }),
  );
  app.onError((error) => problemResponse(unexpected(error)));
  return app;
}

/** Pages are the same for everybody; what they show they fetch from the API. */
function servePages(app: Hono<Guarded>, services: Services, { network }: Caller): void {
  app.get('/openapi.json', async (context) => {
    const { openApiDocument } = await import('./openapi.ts');
    return context.json(openApiDocument(services.version));
  });
  app.get('/reference', async (context) => {
    const { referencePage } = await import('./reference/page.ts');
    return context.html(referencePage(services.version));
  });
  app.get('/reference.css', async (context) => {
    const { REFERENCE_STYLE } = await import('./reference/style.ts');
    return context.body(REFERENCE_STYLE, 200, { 'content-type': 'text/css; charset=utf-8' });
  });
  if (network === null) return;
  app.get('/login', async (context) => {
    const request = context.req.raw;
    // A link checker that only looks must not use the code up.
    if (request.method !== 'GET') return context.body(null, 204);
    const response = await login(request, services, network.cookie);
    return response.status === 401 ? turnedAway(context, network, response) : response;
  });
}
