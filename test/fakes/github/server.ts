import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { runBackend } from '../git-http.ts';
import { type Hub, makeHub } from './hub.ts';
import { route } from './routes.ts';

export type Failure = {
  readonly method?: string;
  /** Part of the path. */
  readonly path?: string;
  /** How often; for ever when left out. */
  times?: number;
  /** 0 breaks the connection. */
  readonly status: number;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Do it, and only then answer so: what a lost answer looks like. */
  readonly afterwards?: boolean;
};

/** A GitHub on loopback: its API at /api/v3, and the same repositories for git. */
export type FakeGitHub = {
  readonly url: string;
  readonly apiUrl: string;
  readonly token: string;
  /** Every request to the API, as `GET /pulls/1`. */
  readonly requests: string[];
  readonly failures: Failure[];
  readonly repository: (slug: string) => Hub;
  readonly gitUrl: (slug: string) => string;
  /** Every git request from now on is answered with this status. */
  readonly failGit: (status: number | null) => void;
  readonly close: () => Promise<void>;
};

const TOKEN = 'ghp_fakefakefakefakefakefakefakefake0001';
const LOGIN = 'convoy-bot';

export async function startGitHub(root: string): Promise<FakeGitHub> {
  const hubs = new Map<string, Hub>();
  const state = { requests: [] as string[], failures: [] as Failure[], git: null as number | null };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'host'}`);
    if (!url.pathname.startsWith('/api/v3/')) {
      if (state.git === null) runBackend(root, request, response);
      else response.writeHead(state.git).end();
      return;
    }
    void serve(request, response, url).catch((error: unknown) =>
      response.writeHead(500).end(JSON.stringify({ message: String(error) })),
    );
  });
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
  ): Promise<void> => {
    const text = await bodyOf(request);
    const [, slug = '', path = ''] =
      /^\/api\/v3\/repos\/([^/]+\/[^/]+)(\/.*)$/.exec(url.pathname) ?? [];
    const method = request.method ?? 'GET';
    state.requests.push(`${method} ${path}`);
    const failure = failing(state.failures, method, path);
    if (failure !== null && failure.afterwards !== true) return fail(response, failure);
    if (request.headers.authorization !== `token ${TOKEN}`)
      return send(response, 401, { message: 'Bad credentials' });
    const hub = hubs.get(slug);
    if (hub === undefined) return send(response, 404, { message: 'Not Found' });
    const body: unknown = text === '' ? {} : JSON.parse(text);
    const reply = route(hub, { method, path, query: url.searchParams, body, login: LOGIN });
    if (failure !== null) return fail(response, failure);
    return paged(response, url, reply.status, reply.body);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- listening on TCP
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const close = (): Promise<void> => closed(server);
  onTestFinished(close);
  return {
    url,
    apiUrl: `${url}/api/v3`,
    token: TOKEN,
    requests: state.requests,
    failures: state.failures,
    repository: (slug) => {
      const hub = hubs.get(slug) ?? makeHub(root, slug);
      hubs.set(slug, hub);
      return hub;
    },
    gitUrl: (slug) => `${url}/${slug}.git`,
    failGit: (status) => {
      state.git = status;
    },
    close,
  };
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function failing(failures: Failure[], method: string, path: string): Failure | null {
  const found = failures.find(
    (each) =>
      (each.times ?? 1) > 0 && (each.method ?? method) === method && path.includes(each.path ?? ''),
  );
  if (found?.times !== undefined) found.times -= 1;
  return found ?? null;
}

function fail(response: ServerResponse, { status, message, headers }: Failure): void {
  if (status === 0) return void response.destroy();
  send(response, status, { message: message ?? 'Scripted' }, headers);
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));
}

/** Lists come in pages with a Link header, as GitHub's do. */
function paged(response: ServerResponse, url: URL, status: number, body: unknown): void {
  const per = Number(url.searchParams.get('per_page') ?? 30);
  const page = Number(url.searchParams.get('page') ?? 1);
  const list = Array.isArray(body) ? body : null;
  if (list === null || list.length <= per) return send(response, status, body);
  const next = new URL(url.href);
  next.searchParams.set('page', String(page + 1));
  const more = page * per < list.length;
  const link = `<${next.href}>; rel="next"`;
  send(response, status, list.slice((page - 1) * per, page * per), more ? { link } : {});
}
