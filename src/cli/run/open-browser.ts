import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Opens a one-time address in the user's browser. Command lines are open to everybody on the
 * machine, so the browser is handed a private file that leads on to the address.
 */
export async function openBrowser(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const file = join(mkdtempSync(join(tmpdir(), 'convoy-open-')), 'open.html');
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${address}"><title>Convoy</title>`;
  writeFileSync(file, page, { mode: 0o600 });
  const [command = 'xdg-open', ...args] = opener(env);
  const child = spawn(command, [...args, pathToFileURL(file).href], {
    detached: true,
    stdio: 'ignore',
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function opener(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const chosen = env['BROWSER']?.trim();
  if (chosen !== undefined && chosen !== '') return chosen.split(/\s+/);
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['explorer'] : ['xdg-open'];
}
