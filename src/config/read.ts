import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { err, ok, type Result } from '../lib/result.ts';
import type { Settings, SettingsProblem } from '../ports/settings.ts';
import { closest } from './closest.ts';
import { keyOf } from './render-toml.ts';
import { breaches } from './rules.ts';
import { lineOf, scan, type Layout } from './scan.ts';
import { configSchema } from './schema.ts';
import { knownKeys } from './known-keys.ts';
import { toSettings } from './to-settings.ts';
import { valueAt, type Table } from './tree.ts';

/** `file` is what messages call the file; `root` is where relative paths start. */
export type Origin = { readonly file: string; readonly root: string };

/** Turns the text of a config.toml into settings, or says everything that is wrong with it. */
export function readSettings(text: string, origin: Origin): Result<Settings, SettingsProblem> {
  const document = parseDocument(text, origin.file);
  if (!document.ok) return document;
  // Compiling the schema pays off only for many parses; a command reads its configuration once.
  const parsed = configSchema.safeParse(document.value, { jitless: true });
  const broken = breaches(document.value);
  if (parsed.success && broken.length === 0) return ok(toSettings(parsed.data, origin.root));

  const finding = { config: document.value, layout: scan(text), file: origin.file };
  const problems = [
    ...(parsed.error?.issues ?? []).flatMap((issue) => fromIssue(issue, finding)),
    ...broken.map(({ path, message }) => problemAt('config_invalid', path, message, finding)),
  ];
  return err(together(problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))));
}

/** The document as plain data, or where it stops being TOML. */
export function parseDocument(text: string, file: string): Result<Table, SettingsProblem> {
  try {
    return ok(parse(text));
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    return err(malformed(thrown, text, file));
  }
}

function malformed(error: TomlError, text: string, file: string): SettingsProblem {
  const { line, column } = error;
  const what = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
  const source = text.split(/\r?\n/)[line - 1] ?? '';
  const margin = `${line} | `;
  const frame = `${margin}${source}\n${' '.repeat(margin.length + column - 1)}^`;
  return {
    code: 'config_malformed',
    message: `${file}:${line}:${column}: ${what}\n${frame}`,
    line,
    column,
    remedy: `Correct line ${line} of ${file}.`,
  };
}

type Finding = { readonly config: Table; readonly layout: Layout; readonly file: string };

function fromIssue(issue: z.core.$ZodIssue, finding: Finding): SettingsProblem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey([...path, key], finding));
  }
  const found = valueAt(finding.config, path);
  const message =
    found === undefined
      ? `is missing; expected ${issue.message}`
      : `expected ${issue.message}, found ${show(found)}`;
  return [problemAt('config_invalid', path, message, finding)];
}

function unknownKey(path: readonly string[], finding: Finding): SettingsProblem {
  const siblings = knownKeys(path.slice(0, -1), finding.config);
  const meant = closest(path.at(-1) ?? '', siblings);
  const hint = meant === null ? '' : `; did you mean \`${meant}\`?`;
  return {
    ...problemAt('config_unknown_key', path, `unknown key${hint}`, finding),
    remedy: meant === null ? `Known here: ${siblings.join(', ')}.` : `Write \`${meant}\`.`,
  };
}

function problemAt(
  code: string,
  path: readonly string[],
  message: string,
  { layout, file }: Finding,
): SettingsProblem {
  const key = keyOf(path);
  const line = lineOf(layout, path);
  const where = line === null ? file : `${file}:${line}`;
  return {
    code,
    message: `${where}: ${key}: ${message}`,
    key,
    ...(line === null ? {} : { line }),
  };
}

function together(problems: readonly SettingsProblem[]): SettingsProblem {
  const [first] = problems;
  if (first === undefined) throw new Error('A refused configuration has at least one problem');
  if (problems.length === 1) return first;
  return { ...first, message: problems.map((one) => one.message).join('\n'), problems };
}

function show(value: unknown): string {
  if (value instanceof Date) return 'a date';
  const written = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return written.length <= 60 ? written : `${written.slice(0, 57)}...`;
}
