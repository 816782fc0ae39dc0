import { once } from 'node:events';
import { createApp } from '../src/app.js';

/** The service on a free port, for as long as a test takes. */
export async function serve(t, parts = {}) {
  const app = await createApp(parts);
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  t.after(() => {
    app.closeAllConnections();
    app.close();
  });
  return `http://127.0.0.1:${app.address().port}`;
}
