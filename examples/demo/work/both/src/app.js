import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import process from 'node:process';
import { health } from './health.js';
import { json } from './json.js';
import { logRequest } from './request-log.js';

const ROUTES = new URL('routes/', import.meta.url);

/** The service as an HTTP server; every file in routes/ answers one kind of request. */
export async function createApp({ store, log = printLine }) {
  const routes = await Promise.all(
    readdirSync(ROUTES).map(async (file) => (await import(new URL(file, ROUTES))).route),
  );
  return createServer((request, response) => {
    answer(request, response, { store, routes, log }).catch((error) =>
      json(response, error.status ?? 500, { error: error.message }),
    );
  });
}

const printLine = (line) => void process.stdout.write(`${line}\n`);

async function answer(request, response, { store, routes, log }) {
  const { pathname } = new URL(request.url, 'http://localhost');
  logRequest(request, response, log);
  if (pathname === '/health') return health(response, store);
  for (const route of routes) {
    const match = route.method === request.method && route.path.exec(pathname);
    if (match) return await route.answer({ request, response, store, word: match[1] });
  }
  return json(response, 404, { error: `nothing answers ${request.method} ${pathname}` });
}
