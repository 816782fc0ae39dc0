import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi';
import { allRoutes } from '../contract/all-routes.ts';
import { PROBLEM_KINDS } from '../contract/problem.ts';
import type { AnyRoute } from '../contract/route.ts';

const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  kind: z.enum(Object.keys(PROBLEM_KINDS)),
  code: z.string(),
  message: z.string(),
  cause: z.string().optional(),
  remedy: z.string().optional(),
});

/** OpenAPI 3.1 of every route, made from the schemas that check the requests. */
export function openApiDocument(version: string): object {
  const app = new OpenAPIHono();
  for (const route of allRoutes) app.openAPIRegistry.registerPath(described(route));
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
  });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Convoy',
      version,
      description: 'Takes a batch of work from plan to production with coding agents.',
    },
    security: [{ token: [] }],
  });
}

function described(route: AnyRoute): ReturnType<typeof createRoute> {
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE';
  return createRoute({
    method: METHODS[route.method],
    path: `/api/v1${route.path}`,
    operationId: route.id,
    summary: route.summary,
    tags: [route.tag],
    request: {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract's params and queries are objects
      ...({ params: route.params, query: route.query } as object),
      ...(takesBody ? { body: { content: { 'application/json': { schema: route.body } } } } : {}),
    },
    responses: {
      200: { description: 'Done', content: { 'application/json': { schema: route.output } } },
      default: {
        description: 'What happened, why, what to do next',
        content: { 'application/problem+json': { schema: problem } },
      },
    },
  });
}

const METHODS = { GET: 'get', POST: 'post', PATCH: 'patch', PUT: 'put', DELETE: 'delete' } as const;
