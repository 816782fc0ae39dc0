import process from 'node:process';
import { createApp } from './app.js';
import { stop } from './stop.js';
import { openStore } from './store/store.js';

const store = openStore(process.env.DATA_FILE ?? 'links.db');
const app = await createApp({ store });
app.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ listening: app.address().port })}\n`);
});
process.once('SIGTERM', () => stop(app, store.close));
