import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from './json.js';

const ROUTES = new URL('routes/', import.meta.url);

/** The service as an HTTP server; every file in routes/ answers one kind of request. */
export async function createApp({ store }) {
  const routes = await Promise.all(
    readdirSync(ROUTES).map(async (file) => (await import(new URL(file, ROUTES))).route),
  );
  return createServer((request, response) => {
    answer(request, response, { store, routes }).catch((error) =>
      json(response, error.status ?? 500, { error: error.message }),
    );
  });
}

async function answer(request, response, { store, routes }) {
  const { pathname } = new URL(request.url, 'http://localhost');
  for (const route of routes) {
    const match = route.method === request.method && route.path.exec(pathname);
    if (match) return await route.answer({ request, response, store, word: match[1] });
  }
  return json(response, 404, { error: `nothing answers ${request.method} ${pathname}` });
}
