import { isDeepStrictEqual } from 'node:util';
import { err, ok, type Result } from '../lib/result.ts';
import type { SettingsEdit, SettingsProblem } from '../ports/settings.ts';
import { parseDocument } from './read.ts';
import { keyOf } from './render-toml.ts';
import { removed } from './remove-from-text.ts';
import { scan } from './scan.ts';
import { placed } from './set-in-text.ts';
import { BLOCKED, isTable, valueAt, without, withValue, type Table } from './tree.ts';

/**
 * Changes one value and leaves every other byte as it was, comments included.
 * The result is read again and must say exactly what was asked, otherwise the edit is refused.
 */
export function edit(
  text: string,
  change: SettingsEdit,
  file: string,
): Result<string, SettingsProblem> {
  const before = parseDocument(text, file);
  if (!before.ok) return before;
  const wanted = expected(before.value, change);
  if (wanted === BLOCKED || change.path.length === 0) return refusal(change, 'blocked');
  if (wanted === before.value) return ok(text);

  const layout = scan(text);
  const changed =
    change.op === 'set' ? placed(layout, change.path, change.value) : removed(layout, change.path);
  if (changed === null) return refusal(change, 'unwritable');
  const after = parseDocument(changed, file);
  return after.ok && says(after.value, wanted, change) ? ok(changed) : refusal(change, 'unsafe');
}

/** The document itself when there is nothing to do. */
function expected(before: Table, change: SettingsEdit): unknown {
  const current = valueAt(before, change.path);
  if (change.op === 'remove') return current === undefined ? before : without(before, change.path);
  if (current !== undefined && isDeepStrictEqual(plain(current), plain(change.value)))
    return before;
  return withValue(before, change.path, change.value);
}

function says(after: Table, wanted: unknown, change: SettingsEdit): boolean {
  const [one, other] = [plain(after), plain(wanted)];
  if (isDeepStrictEqual(one, other)) return true;
  // A table that only existed around the removed key goes with it.
  return (
    change.op === 'remove' &&
    isDeepStrictEqual(pruned(one, change.path), pruned(other, change.path))
  );
}

/** Without the tables and lists along a path that hold nothing. */
function pruned(tree: unknown, path: readonly string[]): unknown {
  let slim = tree;
  for (let length = path.length - 1; length > 0; length -= 1) {
    const around = path.slice(0, length);
    const value = valueAt(slim, around);
    const isEmpty = Array.isArray(value)
      ? value.length === 0
      : isTable(value) && Object.keys(value).length === 0;
    if (isEmpty) slim = without(slim, around);
  }
  return slim;
}

/** The same data without prototypes or the difference between 0 and -0, which would count as one. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'number') return value + 0;
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, plain(child)]));
}

const REASONS = {
  blocked: 'a value that is no table stands in the way',
  unwritable: 'TOML cannot hold such a value',
  unsafe: 'the file is written in a way that this edit would break',
} as const;

function refusal(
  change: SettingsEdit,
  reason: keyof typeof REASONS,
): Result<never, SettingsProblem> {
  const key = keyOf(change.path);
  return err({
    code: 'config_edit_refused',
    message: `Cannot ${change.op} ${key === '' ? 'the whole file' : key}: ${REASONS[reason]}.`,
    key,
    remedy: 'Edit the file by hand: convoy config edit.',
  });
}
