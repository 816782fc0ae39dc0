import { join } from 'node:path';
import { environment } from '../../src/config/environment.ts';
import { startDaemon } from '../../src/daemon/serve.ts';

/** A daemon of the workspace in the first argument, until it is asked to stop or killed. */
const root = process.argv[2] ?? '';
const settings = environment(process.env);
if (!settings.ok) throw new Error(settings.error.message);
const daemon = await startDaemon(
  { root, dir: join(root, '.convoy') },
  process.env,
  settings.value,
  {
    version: 'test',
    port: 0,
    launcher: ['true'],
  },
);
if (!daemon.ok) throw new Error(daemon.error.message);
const { value } = daemon;
process.on('SIGTERM', () => void value.stop());
