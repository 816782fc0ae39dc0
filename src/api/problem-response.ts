import { type Problem, PROBLEM_KINDS } from '../contract/problem.ts';

/** A problem as problem+json; `code`, `message` and the rest are members beside the standard ones. */
export function problemResponse(problem: Problem): Response {
  const { status } = PROBLEM_KINDS[problem.kind];
  return Response.json(
    { type: `urn:convoy:problem:${problem.code}`, title: problem.message, status, ...problem },
    { status, headers: { 'content-type': 'application/problem+json' } },
  );
}
