import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { err, ok, type Result } from '../lib/result.ts';
import type { Settings, SettingsEdit, SettingsProblem, SettingsStore } from '../ports/settings.ts';
import { edit } from './edit.ts';
import { explainValues } from './explain.ts';
import { parseDocument, readSettings } from './read.ts';
import { scan } from './scan.ts';

/** Opens the configuration of a workspace; `file` is its `.convoy/config.toml`, which may not exist yet. */
export function openSettings(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): SettingsStore {
  const path = resolve(file);
  const root = dirname(dirname(path));
  const origin = { file: relative(root, path), root };
  let cached: { readonly stamp: string; readonly text: string; settings?: Read } | null = null;

  const current = (): { readonly text: string; settings?: Read } => {
    const stamp = stampOf(path);
    if (cached?.stamp !== stamp) cached = { stamp, text: textOf(path) };
    return cached;
  };
  const read = (): Read => {
    const now = current();
    now.settings ??= readSettings(now.text, origin);
    return now.settings;
  };

  return {
    path,
    read: () => guarded(path, read),
    text: () => current().text,
    apply: (edits) =>
      guarded(path, () => {
        const before = textOf(path);
        const after = editAll(before, edits, origin.file);
        if (!after.ok) return after;
        const settings = readSettings(after.value, origin);
        if (!settings.ok || after.value === before) return settings;
        replaceFile(path, after.value);
        return settings;
      }),
    explain: () =>
      guarded(path, () => {
        const settings = read();
        if (!settings.ok) return settings;
        const { text } = current();
        const config = parseDocument(text, origin.file);
        if (!config.ok) return config;
        return ok(
          explainValues({ config: config.value, layout: scan(text), file: origin.file }, env),
        );
      }),
  };
}

type Read = Result<Settings, SettingsProblem>;

function editAll(
  text: string,
  edits: readonly SettingsEdit[],
  file: string,
): Result<string, SettingsProblem> {
  let after: Result<string, SettingsProblem> = ok(text);
  for (const change of edits) {
    if (!after.ok) return after;
    after = edit(after.value, change, file);
  }
  return after;
}

/** Changes whenever the file was written, replaced, made or removed. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? 'none' : stampOfStats(stats);
}
const stampOfStats = ({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string =>
  [mtimeNs, ctimeNs, size, ino].join(' ');

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return '';
    throw thrown;
  }
}

/** All of the new text or all of the old one, also when the machine stops in between. */
function replaceFile(path: string, text: string): void {
  // A linked configuration stays a link: the file behind it is replaced.
  const stats = statSync(path, { throwIfNoEntry: false });
  const target = stats === undefined ? path : realpathSync(path);
  const draft = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    writeDraft(draft, text);
    if (stats !== undefined) chmodSync(draft, stats.mode & 0o7777);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeDraft(draft: string, text: string): void {
  const file = openSync(draft, 'w');
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What the file system refuses is a problem of the configuration, told as such. */
function guarded<T>(
  path: string,
  work: () => Result<T, SettingsProblem>,
): Result<T, SettingsProblem> {
  try {
    return work();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === null) throw thrown;
    return err({
      code: 'config_unreachable',
      message: `${path} cannot be read or written: ${code}.`,
      remedy: `Check that ${path} is a file that you may read and write.`,
    });
  }
}

/** The system's own word for what went wrong, such as EACCES. */
function codeOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('syscall' in thrown) || !('code' in thrown)) return null;
  return typeof thrown.code === 'string' ? thrown.code : null;
}
