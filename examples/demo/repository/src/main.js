import process from 'node:process';
import { createApp } from './app.js';

const app = await createApp({});
app.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ listening: app.address().port })}\n`);
});
