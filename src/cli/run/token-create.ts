import { durationMs } from '../../config/duration.ts';
import { createToken } from '../../contract/routes/tokens.ts';
import { refused, type Run } from '../command.ts';
import type { tokenCreate } from '../commands/approvals.ts';
import { cleanLine } from '../render/clean.ts';

/** The token alone goes to stdout, so that it can be put where it belongs without being seen. */
export const run: Run<typeof tokenCreate> = async ({ options, call, err, json }) => {
  const lasts = options.expires === undefined ? undefined : spanOf(options.expires);
  if (lasts === null)
    return refused({
      kind: 'invalid',
      code: 'bad_span',
      message: `--expires ${options.expires} is not a span of time.`,
      remedy: 'Write for example 30d, 12h or 1h30m.',
    });
  const { role, name, task } = options;
  const body = { role, name, task, subject: options.for, expires_in_ms: lasts };
  const answer = await call(createToken, { body });
  const { id, expires_at: until } = answer.token;
  if (!json)
    err(cleanLine(`${id}, ${role}${until === null ? '' : `, until ${until}`}. Shown only now:`));
  return { json: answer, text: () => answer.secret };
};

const DAY_MS = 86_400_000;

/** The settings know hours and less; tokens last for days. */
function spanOf(written: string): number | null {
  const days = /^(\d{1,5})d(.*)$/.exec(written);
  if (days === null) return durationMs(written);
  const rest = days[2] === '' ? 0 : durationMs(days[2] ?? '');
  return rest === null ? null : Number(days[1]) * DAY_MS + rest;
}
