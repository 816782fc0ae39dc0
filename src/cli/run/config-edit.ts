import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSettings } from '../../config/store.ts';
import { CONFIG_FILE, findWorkspace } from '../../config/workspace.ts';
import { refused, type Run } from '../command.ts';
import type { configEdit } from '../commands/system.ts';
import { cleanLine } from '../render/clean.ts';

/** Works on the file itself: a broken configuration must still be editable. */
export const run: Run<typeof configEdit> = async ({ dir, env }) => {
  const workspace = findWorkspace(dir);
  if (!workspace.ok) return refused({ kind: 'not_found', ...workspace.error });
  const file = join(workspace.value.dir, CONFIG_FILE);
  const editor = env['VISUAL'] ?? env['EDITOR'] ?? 'vi';
  const code = await edit(editor, file);
  if (code !== 0)
    return refused({
      kind: 'refused',
      code: 'editor_failed',
      message: `${editor} ended with ${code}.`,
      remedy: 'Set VISUAL or EDITOR to an editor that works here.',
    });
  const checked = existsSync(file) ? openSettings(file, env).read() : null;
  if (checked?.ok === false) return refused({ kind: 'invalid', ...checked.error });
  return { json: { path: file, ok: true }, text: () => cleanLine(`${file} is fine.`) };
};

/** An editor setting may carry arguments, as git allows; it is the user's own command line. */
function edit(editor: string, file: string): Promise<number> {
  const [command = 'vi', ...args] = editor.split(' ').filter(Boolean);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, file], { stdio: 'inherit' });
    child.once('error', () => resolve(127));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
