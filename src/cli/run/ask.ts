import { askPerson } from '../../client/ask-person.ts';
import { durationMs } from '../../config/duration.ts';
import { refused, type Run } from '../command.ts';
import type { ask } from '../commands/worker.ts';
import { clean } from '../render/clean.ts';

const WAITS_FOR_PERSON = 5;

/** The answer alone goes to stdout, so that a script can use it. */
export const run: Run<typeof ask> = async ({ args, options, client, err, json }) => {
  const waitMs = durationMs(options.wait);
  if (waitMs === null)
    return refused({
      kind: 'invalid',
      code: 'bad_span',
      message: `--wait ${options.wait} is not a span of time.`,
      remedy: 'Write for example 50s, 10m or 1h.',
    });
  const body = { question: args.question, choices: [...options.choice] };
  const asked = await askPerson(await client(), body, Math.ceil(waitMs / 1000));
  if (!asked.ok) return refused(asked.error);
  const { status, answer, reason, question } = asked.value;
  if (status === 'answered') return { json: asked.value, text: () => clean(answer ?? '') };
  if (!json)
    err(
      status === 'pending'
        ? `Nobody has answered ${question} yet. Ask the same again to go on waiting.`
        : `No answer to ${question}: ${clean(reason ?? 'decide it yourself')}`,
    );
  return { json: asked.value, text: () => [], exit: status === 'pending' ? WAITS_FOR_PERSON : 1 };
};
