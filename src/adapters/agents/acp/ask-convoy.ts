import { isJson, type Json, textIn } from '../json.ts';
import type { Answer } from './permission.ts';

export type Question = {
  readonly call: string;
  readonly tool: string;
  readonly paths: readonly string[];
  readonly summary: string;
};

const MOST_PATHS = 100;
const WAIT_SECONDS = 20;
const AGAIN_MS = 2000;

/**
 * Puts a question to a person through the attempt's own door and waits for the answer, for as long as
 * the attempt lives. The engine may be away meanwhile.
 */
export async function askConvoy(
  { url, token }: { readonly url: string; readonly token: string },
  question: Question,
  signal: AbortSignal,
): Promise<Answer> {
  if (question.paths.length > MOST_PATHS)
    return { allowed: false, why: `it names more than ${MOST_PATHS} paths at once` };
  const place = `${url}/api/v1/worker/permission`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asking = { method: 'POST', headers, body: JSON.stringify(fitting(question)) };
  let asked: string | null = null;
  for (;;) {
    const said =
      asked === null
        ? await send(place, asking, signal)
        : await send(`${place}/${asked}?wait=${WAIT_SECONDS}`, { headers }, signal);
    if (signal.aborted) return { allowed: false, why: 'the attempt is over' };
    if (said.kind === 'refused') return { allowed: false, why: said.why };
    if (said.kind === 'unreachable') await pause(AGAIN_MS, signal);
    else {
      asked = textIn(said.body, 'approval');
      const answer = answerIn(said.body);
      if (answer !== null) return answer;
    }
  }
}

/** As much of the words as the door takes; of the paths none may be missing. */
const fitting = ({ call, tool, paths, summary }: Question): Question => ({
  call: call.slice(0, 200) || 'call',
  tool: tool.trim().slice(0, 200) || 'tool',
  paths,
  summary: summary.trim().slice(0, 4000) || 'tool',
});

function answerIn(body: Json): Answer | null {
  const reason = textIn(body, 'reason');
  const told = (word: string): string => (reason === '' ? word : `${word}: ${reason}`);
  switch (body['status']) {
    case 'pending':
      return null;
    case 'approved':
      return { allowed: true, why: told('approved') };
    default:
      return { allowed: false, why: told(textIn(body, 'status') || 'not answered') };
  }
}

type Said =
  | { readonly kind: 'answered'; readonly body: Json }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unreachable' };

const MOST_MS = (WAIT_SECONDS + 20) * 1000;

async function send(url: string, init: RequestInit, signal: AbortSignal): Promise<Said> {
  try {
    const answer = await fetch(url, {
      ...init,
      signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]),
    });
    const body: unknown = await answer.json();
    if (!isJson(body)) return { kind: 'unreachable' };
    if (answer.ok) return { kind: 'answered', body };
    // Too many or broken over there: the question still stands.
    if (answer.status === 429 || answer.status >= 500) return { kind: 'unreachable' };
    return { kind: 'refused', why: textIn(body, 'message') || `it was answered ${answer.status}` };
  } catch {
    return { kind: 'unreachable' };
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
