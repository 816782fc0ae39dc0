import * as z from 'zod';
import type { Evidence } from '../../domain/ship/medic/evidence.ts';
import { fence } from '../../domain/ship/medic/prompt-fence.ts';
import type { ReadRefusal, RepositoryReader } from '../../ports/medic.ts';
import type { ModelTool } from '../../ports/model.ts';
import { insidePath } from './model-medic-conclusion.ts';

export type Desk = {
  readonly evidence: Evidence;
  /** Cleaned and bounded. */
  readonly log: string;
  readonly reader: RepositoryReader;
  readonly clean: (text: string) => string;
  readonly mark: string;
};

const LONGEST_RESULT = 16_000;
const MOST_LOG_LINES = 300;
const MOST_HITS = 40;
const MOST_CHANGES = 200;
const LONGEST_SEARCH = 150;

/** What a model may do to look into a failure: four ways to read, none to write. */
export function readingTools(desk: Desk): ModelTool[] {
  return [logTail(desk), fileReader(desk), search(desk), changes(desk)];
}

function logTail(desk: Desk): ModelTool {
  const input = z.object({
    lines: count(MOST_LOG_LINES, 100),
    before: z.coerce.number().int().positive().optional().catch(undefined),
  });
  const all = desk.log.split('\n');
  return readingTool(desk, input, {
    name: 'read_log_tail',
    description:
      'Lines of the log of the failed stage, numbered. "before" goes further back: the lines before that number.',
    input: form({ lines: { type: 'integer' }, before: { type: 'integer' } }, []),
    async look({ lines, before }) {
      const end = Math.min(all.length, (before ?? all.length + 1) - 1);
      const from = Math.max(0, end - lines);
      return numbered(all.slice(from, end), from + 1) || 'There are no such lines.';
    },
  });
}

function fileReader(desk: Desk): ModelTool {
  const input = z.object({
    path: z.string(),
    from: count(Number.MAX_SAFE_INTEGER, 1),
    lines: count(400, 200),
  });
  return readingTool(desk, input, {
    name: 'read_file',
    description: 'A part of a file of the repository, numbered. The path is relative to its root.',
    input: form(
      { path: { type: 'string' }, from: { type: 'integer' }, lines: { type: 'integer' } },
      ['path'],
    ),
    async look({ path, from, lines }) {
      const part = await desk.reader.read(insidePath(path, desk.evidence), { from, lines });
      if (!part.ok) return REFUSALS[part.error.kind];
      const { text, truncated } = part.value;
      return numbered(text.split('\n'), from) + (truncated ? '\n… the file goes on' : '');
    },
  });
}

const REFUSALS: Readonly<Record<ReadRefusal['kind'], string>> = {
  'bad-path': 'Refused: that is no path.',
  outside: 'Refused: that is outside the repository.',
  denied: 'Refused: that file may hold secrets.',
  'not-found': 'There is no such file.',
  'not-a-file': 'That is no file.',
};

/** Plain words only: a pattern from outside can be made to run for ever. */
function search(desk: Desk): ModelTool {
  const input = z.object({
    text: z.string().min(2).max(LONGEST_SEARCH),
    under: z.string().optional(),
  });
  return readingTool(desk, input, {
    name: 'grep_repo',
    description:
      'Lines of the repository that contain a text, in upper or lower case. Not a pattern; alternatives are separated by |.',
    input: form({ text: { type: 'string' }, under: { type: 'string', description: 'A folder.' } }, [
      'text',
    ]),
    async look({ text, under }) {
      const alternatives = text.split('|').filter((one) => one.trim() !== '');
      if (alternatives.length === 0) return 'There is nothing to look for.';
      const pattern = new RegExp(alternatives.map((one) => RegExp.escape(one)).join('|'), 'i');
      const hits = await desk.reader.grep(pattern, {
        most: MOST_HITS,
        ...(under === undefined ? {} : { under }),
      });
      return (
        hits.map((hit) => `${hit.file}:${hit.line}: ${hit.text}`).join('\n') || 'No line has it.'
      );
    },
  });
}

function changes(desk: Desk): ModelTool {
  const input = z.object({ file: z.string().optional() });
  return readingTool(desk, input, {
    name: 'list_changes',
    description:
      'The files that changed lately; with "file" the lines that were added to that one, numbered.',
    input: form({ file: { type: 'string' } }, []),
    async look({ file }) {
      const chosen = desk.evidence.changes.filter((one) => file === undefined || one.file === file);
      if (chosen.length === 0) return 'No such change is known.';
      const told = chosen.map(({ file: path, commit, added }) =>
        file === undefined
          ? `${path} (+${added.length}${commit === undefined ? '' : `, ${commit}`})`
          : added.map(({ line, text }) => `${line}: ${text}`).join('\n'),
      );
      return told.slice(0, MOST_CHANGES).join('\n');
    },
  });
}

function readingTool<T>(
  { clean, mark }: Desk,
  schema: z.ZodType<T>,
  { look, ...tool }: Omit<ModelTool, 'run'> & { readonly look: (input: T) => Promise<string> },
): ModelTool {
  return {
    ...tool,
    async run(input) {
      const parsed = schema.safeParse(input ?? {});
      if (!parsed.success) return `Not done: the input of ${tool.name} has the wrong form.`;
      return fence(tool.name, bounded(clean(await look(parsed.data))), mark);
    },
  };
}

const form = (properties: Record<string, unknown>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
});

/** A number that is missing or senseless becomes the usual one. */
const count = (most: number, usual: number) =>
  z.coerce
    .number()
    .int()
    .positive()
    .catch(usual)
    .transform((n) => Math.min(n, most));

const numbered = (lines: readonly string[], from: number): string =>
  lines.map((line, index) => `${from + index}: ${line}`).join('\n');

/** After the cleaning, so that no cut can leave half a secret behind. */
const bounded = (text: string): string =>
  text.length <= LONGEST_RESULT ? text : `${text.slice(0, LONGEST_RESULT)}\n… cut off here`;
