import { type Problem, PROBLEM_KINDS } from '../contract/problem.ts';

/** Names the problem for whoever looks at answers without reading them. */
export const PROBLEM_HEADER = 'x-convoy-problem';

/** A problem as problem+json; `code`, `message` and the rest are members beside the standard ones. */
export function problemResponse(
  problem: Problem,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status } = PROBLEM_KINDS[problem.kind];
  return Response.json(
    { type: `urn:convoy:problem:${problem.code}`, title: problem.message, status, ...problem },
    {
      status,
      headers: {
        ...headers,
        'content-type': 'application/problem+json',
        [PROBLEM_HEADER]: problem.code,
      },
    },
  );
}
