import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { client, type ClientApp, methods, RequestError } from '@agentclientprotocol/sdk';
import { isJson, type Json, numberIn, objectIn, objectsIn, textIn } from '../json.ts';
import { askConvoy, type Question } from './ask-convoy.ts';
import { isInside, placeInside } from './inside.ts';
import type { AcpJob } from './job.ts';
import type { Log } from './log.ts';
import { type Answer, answerTo, outcomeOf, pathsIn } from './permission.ts';

/** What our side knows while it answers. */
export type Side = {
  readonly job: AcpJob;
  readonly log: Log;
  readonly access: { readonly url: string; readonly token: string };
  /** Tool calls under way as the agent told them, by id. */
  readonly calls: ReadonlyMap<string, Json>;
  readonly stop: AbortSignal;
};

const MOST_FILE = 16 * 1024 * 1024;

/** Answers what an agent asks of its client; what we do not know is refused by name. */
export function clientSide(side: Side): ClientApp {
  return client({ name: 'convoy' })
    .onRequest(methods.client.session.requestPermission, asJson, ({ params }) =>
      permission(side, params),
    )
    .onRequest(methods.client.fs.readTextFile, asJson, ({ params }) => readText(side, params))
    .onRequest(methods.client.fs.writeTextFile, asJson, ({ params }) => writeText(side, params))
    .onNotification('*', ({ method }) =>
      side.log.tell({ type: 'unknown', method, text: `the agent sent ${method}` }),
    );
}

/** Looked at field by field instead: a newer agent's extra variants must not end the conversation. */
const asJson = (params: unknown): Json => (isJson(params) ? params : {});

async function permission(side: Side, params: Json): Promise<object> {
  const { kind, ...question } = requestIn(side, objectIn(params, 'toolCall'));
  const { answer, wasAsked } = await answered(side, kind, question);
  if (side.stop.aborted) return { outcome: { outcome: 'cancelled' } };
  const outcome = outcomeOf(answer.allowed, objectsIn(params, 'options'));
  const isLost = answer.allowed && outcome.outcome === 'cancelled';
  side.log.tell({
    type: 'permission',
    ...question,
    asked: wasAsked,
    answer: answer.allowed && !isLost ? 'allowed' : 'refused',
    why: isLost ? 'it offers no yes for this once' : answer.why,
  });
  return { outcome };
}

/** What is asked for, together with what was told about that call before. */
function requestIn({ calls }: Side, asked: Json): Question & { readonly kind: string } {
  const call = textIn(asked, 'toolCallId');
  const told = calls.get(call) ?? {};
  const either = (key: string): string => textIn(asked, key) || textIn(told, key);
  const kind = either('kind');
  const tool = either('name') || kind || 'tool';
  return { call, kind, tool, paths: pathsIn(told, asked), summary: either('title') || tool };
}

async function answered(
  { job, log, access, stop }: Side,
  kind: string,
  question: Question,
): Promise<{ answer: Answer; wasAsked: boolean }> {
  if (job.permissions !== 'ask') {
    const inside = (path: string): boolean => isInside(job.worktree, path);
    return {
      answer: answerTo(kind, question.paths, job.permissions, inside),
      wasAsked: false,
    };
  }
  log.tell({ type: 'permission', ...question, answer: 'asked' });
  return { answer: await askConvoy(access, question, stop), wasAsked: true };
}

async function readText(side: Side, params: Json): Promise<{ content: string }> {
  const path = placeIn(side, params, 'read');
  let text: string;
  try {
    if ((await stat(path)).size > MOST_FILE)
      throw RequestError.invalidParams(undefined, `${path} is larger than ${MOST_FILE} bytes`);
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw fileProblem(error, path);
  }
  const line = numberIn(params, 'line');
  const limit = numberIn(params, 'limit');
  if (line === null && limit === null) return { content: text };
  const from = Math.max(0, (line ?? 1) - 1);
  const lines = text.split('\n').slice(from, limit === null ? undefined : from + limit);
  return { content: lines.join('\n') };
}

async function writeText(side: Side, params: Json): Promise<object> {
  const path = placeIn(side, params, 'write');
  if (side.job.permissions === 'deny')
    throw refused(side, path, 'every request is refused (permissions = "deny")');
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, textIn(params, 'content'));
  } catch (error) {
    throw fileProblem(error, path);
  }
  side.log.tell({ type: 'file', op: 'write', path });
  return {};
}

function placeIn(side: Side, params: Json, op: string): string {
  const named = textIn(params, 'path');
  const path = placeInside(side.job.worktree, named);
  if (path === null) throw refused(side, named, `${op} ${named}: it is outside the worktree`);
  return path;
}

function refused({ log }: Side, path: string, why: string): RequestError {
  log.tell({ type: 'file-refused', path, why });
  return RequestError.invalidParams(undefined, why);
}

function fileProblem(error: unknown, path: string): RequestError {
  if (error instanceof RequestError) return error;
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (isMissing) return RequestError.resourceNotFound(path);
  return RequestError.internalError(undefined, error instanceof Error ? error.message : path);
}
