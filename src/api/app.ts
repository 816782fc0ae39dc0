import { Hono } from 'hono';
import { allHandlers } from './all-handlers.ts';
import { answer } from './answer.ts';
import type { Services } from './context.ts';
import { eventStream } from './event-stream.ts';
import { type Caller, guard } from './guard.ts';
import { problemResponse } from './problem-response.ts';

export const API_ROOT = '/api/v1';

/** Builds the one API there is; the daemon serves it over HTTP, the CLI calls it in process. */
export function createApp(services: Services, callers: Caller): Hono {
  const app = new Hono();
  app.use(guard(callers));
  app.get('/openapi.json', async (context) => {
    const { openApiDocument } = await import('./openapi.ts');
    return context.json(openApiDocument(services.version));
  });
  app.get(`${API_ROOT}/events`, async (context, next) => {
    if (!(context.req.header('accept') ?? '').includes('text/event-stream')) return next();
    return eventStream(context.req.raw, services);
  });
  for (const handler of allHandlers) {
    const path = API_ROOT + handler.route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on(handler.route.method, path, (context) =>
      answer(handler, context.req.raw, context.req.param(), services, callers),
    );
  }
  app.notFound((context) =>
    problemResponse({
      kind: 'not_found',
      code: 'no_such_route',
      message: `There is nothing at ${context.req.method} ${context.req.path}.`,
      remedy: 'GET /openapi.json lists every route.',
    }),
  );
  app.onError((error) =>
    problemResponse({
      kind: 'internal',
      code: 'internal_error',
      message: 'Something went wrong inside Convoy.',
      cause: error.message,
      remedy: 'Run it again with --debug; nothing was half written.',
    }),
  );
  return app;
}
