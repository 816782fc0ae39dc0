import type { Problem } from '../contract/problem.ts';
import type { TokenRole } from '../domain/identity/identity.ts';
import { err, ok, type Result } from '../lib/result.ts';

const MEGABYTE = 1024 * 1024;

/** An operator imports whole backlogs; agents report. */
const mostBytes = (role: TokenRole): number =>
  role === 'operator' || role === 'manager' ? 80 * MEGABYTE : 4 * MEGABYTE;

/** The JSON a request carries, never more of it than its sender may send. */
export async function readBody(
  request: Request,
  role: TokenRole,
): Promise<Result<unknown, Problem>> {
  if (request.method === 'GET' || request.method === 'DELETE') return ok({});
  const text = await readText(request, mostBytes(role));
  if (!text.ok) return text;
  if (text.value.trim() === '') return ok({});
  try {
    return ok(JSON.parse(text.value));
  } catch {
    return err({
      kind: 'invalid',
      code: 'malformed_json',
      message: 'The body is not JSON.',
      remedy: 'Send a JSON object.',
    });
  }
}

/** Counts what really arrives: a length that was announced may be wrong or missing. */
export async function readText(request: Request, most: number): Promise<Result<string, Problem>> {
  if (Number(request.headers.get('content-length') ?? 0) > most) return tooLarge(most);
  if (request.body === null) return ok('');
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > most) return tooLarge(most);
    text += decoder.decode(chunk, { stream: true });
  }
  return ok(text + decoder.decode());
}

const tooLarge = (most: number): Result<never, Problem> =>
  err({
    kind: 'invalid',
    code: 'too_large',
    message: `The request is larger than ${most / MEGABYTE} MB.`,
    remedy: 'Send it in parts.',
  });
