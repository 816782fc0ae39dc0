/** Serves the output of a static build, for lanes that have nothing of their own to start. */
export const STATIC_SERVER_SOURCE = `
const http = require('node:http'), fs = require('node:fs'), path = require('node:path');
const root = fs.realpathSync(process.argv[1]);
const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.svg': 'image/svg+xml' };
const inside = (file) => file === root || file.startsWith(root + path.sep);
http.createServer((request, response) => {
  let file;
  try {
    file = path.join(root, decodeURIComponent(new URL(request.url, 'http://x').pathname));
    if (!inside(file)) throw 0;
    if (fs.statSync(file).isDirectory()) file = path.join(file, 'index.html');
    file = fs.realpathSync(file);
    if (!inside(file) || !fs.statSync(file).isFile()) throw 0;
  } catch { response.writeHead(404); return response.end('not found'); }
  response.writeHead(200, { 'content-type': kinds[path.extname(file)] || 'application/octet-stream' });
  fs.createReadStream(file).pipe(response);
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
