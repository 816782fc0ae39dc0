import {
  isStepCount,
  jsonSchema,
  type JSONSchema7,
  type ModelMessage,
  type StepResult,
  streamText,
  tool,
  type ToolSet,
  wrapLanguageModel,
} from 'ai';
import type { Conversation, Ending, ModelEvent, ModelTool } from '../../ports/model.ts';
import { type Meter, openMeter } from './meter.ts';
import { NoTurn, type Patience, patientCall } from './patient-call.ts';
import type { Price } from './prices.ts';
import { failedTry } from './problem.ts';
import type { LanguageModel } from './provider.ts';

const MOST_CALLS_PER_TURN = 8;

/** Talks with a model until it has answered, the caller has enough, or a limit is reached. */
export async function converse(
  language: LanguageModel,
  conversation: Conversation,
  price: Price,
  patience: Patience,
): Promise<Ending> {
  const meter = openMeter(conversation.limits, price);
  const time = AbortSignal.timeout(conversation.limits.ms);
  const signal = AbortSignal.any([time, ...(conversation.signal ? [conversation.signal] : [])]);
  const talk: Talk = { conversation, meter, signal, turn: 0, calls: 0, bug: null };
  const model = wrapLanguageModel({
    model: language,
    middleware: patientCall(meter, patience, {
      signal,
      forcedTool: () => closingTool(talk),
      onRetry: (problem, waitMs) =>
        emit(talk, { type: 'retrying', turn: talk.turn, problem, waitMs }),
    }),
  });
  const how = await talkOn(talk, model).catch((error: unknown) => whyNot(error));
  if (talk.bug !== null) throw talk.bug.error;
  const usage = meter.used();
  if (conversation.signal?.aborted === true) return { kind: 'stopped', usage };
  if (time.aborted && how.kind !== 'enough') return { kind: 'limit', limit: 'ms', usage };
  return { ...how, usage };
}

type Talk = {
  readonly conversation: Conversation;
  readonly meter: Meter;
  readonly signal: AbortSignal;
  turn: number;
  /** Of the present turn. */
  calls: number;
  /** What a tool or a listener threw: ours, not the model's. */
  bug: { readonly error: unknown } | null;
};
type How = Ending extends infer E ? (E extends Ending ? Omit<E, 'usage'> : never) : never;
type Step = StepResult<ToolSet>;

async function talkOn(talk: Talk, model: LanguageModel): Promise<How> {
  const { conversation } = talk;
  const messages: ModelMessage[] = [{ role: 'user', content: conversation.question }];
  for (;;) {
    const { last, said } = await oneRound(talk, model, messages);
    messages.push(...said);
    const how = outcome(talk, last);
    if (how.kind !== 'answered') return how;
    const reply = conversation.reply?.(how.text) ?? null;
    if (reply === null) return how;
    if (talk.turn >= conversation.limits.turns) return { kind: 'limit', limit: 'turns' };
    messages.push({ role: 'user', content: reply });
  }
}

/** Turns until the model has no more calls; the loop over tools is the library's. */
async function oneRound(
  talk: Talk,
  model: LanguageModel,
  messages: ModelMessage[],
): Promise<{ readonly last: Step | undefined; readonly said: ModelMessage[] }> {
  const { conversation, signal } = talk;
  let failure: unknown = null;
  const keep = (error: unknown): void => void (failure ??= error);
  const run = streamText({
    model,
    instructions: conversation.instructions,
    messages,
    tools: toolSet(talk),
    toolCallConcurrency: 1,
    maxRetries: 0,
    abortSignal: signal,
    stopWhen: [
      isStepCount(conversation.limits.turns - talk.turn),
      () => talk.bug !== null || (conversation.isEnough?.() ?? false),
    ],
    prepareStep: () => {
      talk.turn += 1;
      talk.calls = 0;
      emit(talk, { type: 'turn-started', turn: talk.turn });
      const only = closingTool(talk);
      return only === null ? {} : { activeTools: [only] };
    },
    onStepEnd: (step) => report(talk, step),
    onError: ({ error }) => keep(error),
  });
  await run.consumeStream({ onError: keep });
  signal.throwIfAborted();
  if (failure !== null) throw failure;
  const steps = await run.steps;
  return { last: steps.at(-1), said: await run.responseMessages };
}

const closingTool = ({ conversation: { closing }, turn }: Talk): string | null =>
  closing !== undefined && turn >= closing.from ? closing.tool : null;

function toolSet(talk: Talk): ToolSet {
  return Object.fromEntries(talk.conversation.tools.map((one) => [one.name, asTool(talk, one)]));
}

function asTool(talk: Talk, { name, description, input: schema, run }: ModelTool): ToolSet[string] {
  return tool({
    description,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the port promises a JSON schema
    inputSchema: jsonSchema(schema as JSONSchema7),
    async execute(input, { toolCallId }) {
      const called = { turn: talk.turn, call: toolCallId, tool: name };
      talk.calls += 1;
      if (talk.calls > MOST_CALLS_PER_TURN) {
        const reason = `more than ${MOST_CALLS_PER_TURN} calls in one turn`;
        emit(talk, { type: 'tool-refused', ...called, reason });
        return `Not done: ${reason}.`;
      }
      emit(talk, { type: 'tool-called', ...called, input });
      try {
        const output = await run(input);
        emit(talk, { type: 'tool-answered', ...called, output });
        return output;
      } catch (error) {
        talk.bug ??= { error };
        throw error;
      }
    },
  });
}

function report(talk: Talk, step: Step): void {
  const { turn } = talk;
  for (const call of step.toolCalls)
    if (call.invalid === true) {
      const known = talk.conversation.tools.some(({ name }) => name === call.toolName);
      const reason = known ? 'it cannot be called like this now' : 'there is no such tool';
      emit(talk, {
        type: 'tool-refused',
        turn,
        call: call.toolCallId,
        tool: call.toolName,
        reason,
      });
    }
  if (step.text.trim() !== '') emit(talk, { type: 'said', turn, text: step.text });
  emit(talk, { type: 'turn-ended', turn, usage: talk.meter.used() });
}

/** A listener that fails must not look like a model that failed. */
function emit(talk: Talk, event: ModelEvent): void {
  try {
    talk.conversation.onEvent?.(event);
  } catch (error) {
    talk.bug ??= { error };
  }
}

function outcome({ conversation, turn }: Talk, last: Step | undefined): How {
  if (last === undefined) return { kind: 'answered', text: '' };
  if (conversation.isEnough?.() === true) return { kind: 'enough' };
  const text = last.text.trim();
  if (last.finishReason === 'content-filter') return { kind: 'refused', text };
  if (last.toolCalls.length > 0 && turn >= conversation.limits.turns)
    return { kind: 'limit', limit: 'turns' };
  return last.finishReason === 'length' ? { kind: 'cut', text } : { kind: 'answered', text };
}

function whyNot(error: unknown): How {
  if (!(error instanceof NoTurn)) return { kind: 'errored', problem: failedTry(error).problem };
  return 'limit' in error.why
    ? { kind: 'limit', limit: error.why.limit }
    : { kind: 'errored', problem: error.why.problem };
}
