import { resolve as resolvePath } from 'node:path';
import { type Outcome, refused, type Run } from '../command.ts';
import type { up } from '../commands/system.ts';
import type { UpReport } from '../host.ts';

const shown = ({ url, pid, already }: UpReport): Outcome => ({
  json: { url, pid, already },
  text: () => (already ? `Already up at ${url} (pid ${pid})` : `Up at ${url} (pid ${pid})`),
});

/** In the foreground it stays until Ctrl-C; detached it returns as soon as the daemon answers. */
export const run: Run<typeof up> = async ({
  host,
  dir,
  env,
  cwd,
  options,
  signal,
  json,
  out,
  err,
}) => {
  const bind = {
    host: options.host ?? null,
    tlsCert: fileOf(cwd, options.tlsCert),
    tlsKey: fileOf(cwd, options.tlsKey),
    insecure: options.insecure,
  };
  const wish = { dir, env, port: options.port ?? null, bind };
  if (options.detach) {
    const started = await host.detach(wish);
    return started.ok ? shown(started.value) : refused(started.error);
  }
  const running = await host.run(wish);
  if (!running.ok) {
    const known = running.error.code === 'engine_running' ? await host.running(wish) : null;
    return known === null ? refused(running.error) : shown(known);
  }
  const { url, stopped, stop } = running.value;
  if (json) out(JSON.stringify({ schema: 'convoy.v1', url, pid: process.pid, already: false }));
  else err(`Up at ${url}; Ctrl-C stops it.`);
  const interrupted = new Promise<'interrupted'>((resolve) => {
    if (signal.aborted) resolve('interrupted');
    signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
  const why = await Promise.race([stopped, interrupted]);
  if (why === 'interrupted') await stop();
  else err(`Stopped: ${why}.`);
  return { streamed: true, exit: why === 'interrupted' ? 0 : 1 };
};

/** As the user sees it: a detached daemon works in another directory. */
const fileOf = (cwd: string, file: string | undefined): string | null =>
  file === undefined ? null : resolvePath(cwd, file);
