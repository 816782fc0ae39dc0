import { createServer } from 'node:http';

// CONVOY_EXAMPLE_FAULT makes the service misbehave, so that a demo can show what happens then:
// `errors` answers every third request with 500, `slow` takes two seconds for each.
const fault = process.env.CONVOY_EXAMPLE_FAULT ?? 'none';
const port = Number(process.env.PORT ?? 3000);
let served = 0;

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/health' || pathname === '/') {
    served += 1;
    answer(response, pathname === '/' ? { greeting: 'Hello from the convoy' } : { ok: true });
  } else {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'not found' }));
  }
});

function answer(response, body) {
  if (fault === 'errors' && served % 3 === 0) {
    process.stderr.write(`${new Error('The order book is out of reach').stack}\n`);
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'internal' }));
    return;
  }
  setTimeout(
    () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    },
    fault === 'slow' ? 2000 : 0,
  );
}

server.listen(port, () => process.stdout.write(`listening on ${port}\n`));
process.on('SIGTERM', () => server.close(() => process.exit(0)));
