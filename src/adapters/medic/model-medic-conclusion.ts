import * as z from 'zod';
import type { Evidence } from '../../domain/ship/medic/evidence.ts';
import type { Reference } from '../../domain/ship/medic/diagnosis.ts';
import type { Conclusion } from '../../domain/ship/medic/prompt-answer.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { RepositoryReader } from '../../ports/medic.ts';

const LONGEST_TEXT = 4000;
const LONGEST_QUOTE = 300;
const SHORTEST_QUOTE = 4;
const MOST_CLAIMS = 20;
const NEAR = 3;

const words = z
  .string()
  .trim()
  .min(1)
  .transform((text) => text.slice(0, LONGEST_TEXT));

const claim = z.object({
  file: z.string().trim().min(1).nullish(),
  line: z.coerce.number().int().positive().nullish().catch(null),
  text: z.string().default(''),
});

const claims = z.array(claim).transform((all) => all.slice(0, MOST_CLAIMS));

const conclusion = z.object({
  root_cause: words,
  classification: z.enum(['code', 'config', 'infra']),
  confidence: z.enum(['high', 'medium', 'low']),
  owned: z.enum(['developer', 'convoy']),
  fix: words,
  reproduction: words,
  evidence: claims,
});

/** The form of finalize_diagnosis, as it is told to the model. */
export const CONCLUSION_FORM = {
  type: 'object',
  properties: {
    root_cause: { type: 'string' },
    classification: { type: 'string', enum: ['code', 'config', 'infra'] },
    confidence: { type: 'string', enum: ['high', 'medium', 'low'] },
    owned: { type: 'string', enum: ['developer', 'convoy'] },
    fix: { type: 'string' },
    reproduction: { type: 'string' },
    evidence: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          file: { type: 'string', description: 'Left out for a line of the log.' },
          line: { type: 'integer' },
          text: { type: 'string', description: 'The line, copied exactly.' },
        },
        required: ['text'],
      },
    },
  },
  required: [
    'root_cause',
    'classification',
    'confidence',
    'owned',
    'fix',
    'reproduction',
    'evidence',
  ],
};

/** What the model handed in, or what is wrong with its form. */
export function readConclusion(input: unknown): Result<Conclusion, string> {
  const parsed = conclusion.safeParse(input);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return err(wrong.slice(0, 10).join('; '));
  }
  const { root_cause: rootCause, evidence, ...rest } = parsed.data;
  return ok({ ...rest, rootCause, evidence: evidence.map(asReference) });
}

/** What can be saved from one that was not accepted. */
export function readRest(input: unknown): { rootCause: string | null; evidence: Reference[] } {
  const rest = z
    .object({ root_cause: words.nullable().catch(null), evidence: claims.catch([]) })
    .safeParse(input);
  return rest.success
    ? { rootCause: rest.data.root_cause, evidence: rest.data.evidence.map(asReference) }
    : { rootCause: null, evidence: [] };
}

const asReference = ({ file, line, text }: z.output<typeof claim>): Reference => ({
  ...(file == null ? {} : { file }),
  ...(line == null ? {} : { line }),
  text,
});

/** Those references that exist, told in the words of the file or the log itself. */
export async function realReferences(
  references: readonly Reference[],
  evidence: Evidence,
  reader: RepositoryReader,
  log: string,
): Promise<Reference[]> {
  const found: Reference[] = [];
  const lines = log.split('\n');
  for (const reference of references) {
    const real =
      reference.file === undefined
        ? inLog(reference.text, lines)
        : await inFile(reference, reference.file, evidence, reader);
    if (real !== null) found.push(real);
  }
  return found;
}

function inLog(text: string, lines: readonly string[]): Reference | null {
  const wanted = squeezed(text);
  if (wanted.length < SHORTEST_QUOTE) return null;
  const line = lines.find((one) => squeezed(one).includes(wanted));
  return line === undefined ? null : { text: line.trim().slice(0, LONGEST_QUOTE) };
}

async function inFile(
  { line, text }: Reference,
  file: string,
  evidence: Evidence,
  reader: RepositoryReader,
): Promise<Reference | null> {
  const path = insidePath(file, evidence);
  const from = Math.max(1, (line ?? 1) - NEAR);
  const part = await reader.read(path, line === undefined ? {} : { from, lines: 2 * NEAR + 1 });
  if (!part.ok) return null;
  const lines = part.value.text.split('\n').map((one, index) => ({
    file: part.value.path,
    line: part.value.from + index,
    text: one.trim().slice(0, LONGEST_QUOTE),
  }));
  // Models miscount by a line or two; the words they copied say which one they mean.
  const wanted = squeezed(text);
  const quoted =
    wanted.length < SHORTEST_QUOTE
      ? undefined
      : nearest(
          lines.filter((one) => squeezed(one.text).includes(wanted)),
          line ?? 1,
        );
  const chosen = quoted ?? lines.find((one) => one.line === line);
  return chosen === undefined || chosen.text === '' ? null : chosen;
}

const nearest = <T extends { readonly line: number }>(
  all: readonly T[],
  to: number,
): T | undefined => all.toSorted((a, b) => Math.abs(a.line - to) - Math.abs(b.line - to))[0];

/** Logs speak of the copy that ran; the repository has the same file under its own root. */
export function insidePath(path: string, { cwd, lanePath }: Evidence): string {
  if (cwd === null || cwd === '/' || !path.startsWith(`${cwd}/`)) return path.replace(/^\.\//, '');
  const rest = path.slice(cwd.length + 1);
  return lanePath === '.' ? rest : `${lanePath}/${rest}`;
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();
