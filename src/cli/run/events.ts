import { type EventJson, listEvents } from '../../contract/routes/system.ts';
import type { Run } from '../command.ts';
import type { events } from '../commands/system.ts';
import { jsonLine } from '../json.ts';
import { cleanLine } from '../render/clean.ts';
import { follow } from './follow-events.ts';
import { some } from './task-fields.ts';

const PAGE = 1000;

/** Writes page by page, so that a long history never stands in memory as a whole. */
export const run: Run<typeof events> = async (context) => {
  const { options, call, out, json, signal } = context;
  const most = options.limit ?? Infinity;
  const show = (event: EventJson): void => out(json ? jsonLine(event) : lineOf(event));
  let after = options.after ?? 0;
  let written = 0;
  while (written < most && !signal.aborted) {
    const limit = Math.min(PAGE, most - written);
    const query = { after, limit, subject: options.subject, kind: some(options.kind) };
    const page = (await call(listEvents, { query })).events;
    for (const event of page) show(event);
    written += page.length;
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.seq;
    if (page.length < limit) break;
  }
  if (!options.follow || written >= most) return { streamed: true };
  const filter = { subject: options.subject, kinds: some(options.kind) };
  for await (const event of follow(context, after, filter)) {
    show(event);
    written += 1;
    if (written >= most) break;
  }
  return { streamed: true };
};

const lineOf = ({ seq, at, kind, subject, actor }: EventJson): string =>
  cleanLine(`${seq}  ${at}  ${kind}  ${subject}  by ${actor}`);
