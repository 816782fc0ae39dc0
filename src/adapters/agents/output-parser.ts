import { EMPTY_TRANSCRIPT, type AgentEvent, type OutputParser } from '../../ports/agent.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { cleanText, clip } from './clean-text.ts';
import { isJson, type Json } from './json.ts';
import { lineCutter, type Line } from './lines.ts';
import { addEvent } from './transcript.ts';

/** What one line of an agent's own protocol means; nothing, when it is of no interest or unknown. */
export type LineReader = (line: Json) => AgentEvent[];

/** Real agents put whole files on one line; beyond this it is not a message any more. */
const LONGEST_LINE = 32 * 1024 * 1024;
const MOST_TEXT = 16 * 1024;

/** Reads an output line by line. Without a reader every line is plain text. */
export function outputParser(read: LineReader | null): OutputParser {
  const cutter = lineCutter(LONGEST_LINE);
  let transcript = EMPTY_TRANSCRIPT;
  const told = (events: AgentEvent[]): AgentEvent[] => {
    for (const event of events) transcript = addEvent(transcript, event);
    return events;
  };
  const learn = (lines: Line[]): AgentEvent[] =>
    told(lines.flatMap((line) => eventsOf(line, read)).map(tidied));
  return {
    push: (bytes) => learn(cutter.push(bytes)),
    skip(bytes) {
      cutter.drop();
      return told([{ kind: 'note', code: 'skipped', text: `${bytes} bytes` }]);
    },
    end: () => learn(cutter.end()),
    transcript: () => transcript,
  };
}

function eventsOf(line: Line, read: LineReader | null): AgentEvent[] {
  if ('tooLong' in line)
    return [{ kind: 'note', code: 'skipped', text: `a line of ${line.tooLong} bytes` }];
  const json = read === null ? null : parsed(line.text);
  if (json !== null && read !== null) return read(json);
  return line.text.trim() === '' ? [] : [{ kind: 'note', code: 'text', text: line.text }];
}

/** An object on a line, also behind escapes or a prompt that another program left there. */
function parsed(text: string): Json | null {
  const begin = text.indexOf('{');
  if (begin < 0) return null;
  try {
    const value: unknown = JSON.parse(begin === 0 ? text : cleanText(text).trim());
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

/** Every text safe to show and short enough to pass around; the log keeps the whole. */
function tidied(event: AgentEvent): AgentEvent {
  switch (event.kind) {
    case 'message':
    case 'note':
      return { ...event, text: tidy(event.text) };
    case 'tool-result':
      return { ...event, id: tidy(event.id), text: tidy(event.text) };
    case 'tool-call': {
      const target = event.target === null ? null : tidy(event.target);
      return { ...event, id: tidy(event.id), tool: tidy(event.tool), target };
    }
    case 'error':
      return { ...event, code: tidy(event.code), message: tidy(event.message) };
    case 'session':
      return { ...event, id: tidy(event.id) };
    case 'usage':
      return event;
    default:
      return unreachable(event);
  }
}

const tidy = (text: string): string => clip(cleanText(text), MOST_TEXT);
