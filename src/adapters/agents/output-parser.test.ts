import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../ports/agent.ts';
import { cleanText } from './clean-text.ts';
import { type LineReader, outputParser } from './output-parser.ts';
import { textIn } from './json.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const echo: LineReader = (line) => [{ kind: 'message', text: textIn(line, 'm'), thinking: false }];
const messages = (events: AgentEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'message' ? [event.text] : []));

function readAll(bytes: Uint8Array, sizes: number[] = [], read: LineReader | null = echo) {
  const parser = outputParser(read);
  const events: AgentEvent[] = [];
  let at = 0;
  for (const size of sizes) {
    events.push(...parser.push(bytes.subarray(at, at + size)));
    at += size;
  }
  events.push(...parser.push(bytes.subarray(at)), ...parser.end());
  return { events, transcript: parser.transcript() };
}

test('the same bytes mean the same in whatever portions they arrive', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((m) => JSON.stringify({ m })),
    fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '')),
  );
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(30)), (lines, sizes) => {
      const bytes = encode(lines.join('\n'));
      expect(readAll(bytes, sizes)).toEqual(readAll(bytes));
    }),
  );
});

test('no bytes make it throw, and nothing it tells can move a cursor', () => {
  const byte = fc.oneof(fc.nat(255), fc.constantFrom(0x1b, 0x5b, 0x0a, 0x7b, 0x7d, 0x22, 0xff));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 200 }), (bytes) => {
      const { events } = readAll(Uint8Array.from(bytes));
      for (const event of events)
        // oxlint-disable-next-line no-control-regex -- that is the point
        expect(JSON.stringify(event)).not.toMatch(/\\u00(?:0[0-8bcef]|1)|[\u007F-\u009F]/);
    }),
  );
});

test('a line of 10 MB is read, in small portions too, and its text is clipped', () => {
  const big = 'a'.repeat(10 * 1024 * 1024);
  const bytes = encode(`${JSON.stringify({ m: big })}\n{"m":"after"}\n`);
  const began = performance.now();
  const { events } = readAll(
    bytes,
    Array.from({ length: 2560 }, () => 4096),
  );
  expect(performance.now() - began).toBeLessThan(5000);
  const [first = '', second] = messages(events);
  expect(second).toBe('after');
  expect(first).toMatch(/^a{16384}… \(\d+ more\)$/);
});

test('a line beyond all measure is skipped and told, and the next one is read', () => {
  const parser = outputParser(echo);
  const chunk = encode('b'.repeat(1024 * 1024));
  for (let n = 0; n < 33; n += 1) expect(parser.push(chunk)).toEqual([]);
  const events = parser.push(encode('\n{"m":"after"}\n'));
  expect(events).toEqual([
    { kind: 'note', code: 'skipped', text: `a line of ${33 * 1024 * 1024} bytes` },
    { kind: 'message', text: 'after', thinking: false },
  ]);
});

test('where output was dropped, the torn line is given up and the next one is read', () => {
  const parser = outputParser(echo);
  parser.push(encode('{"m":"torn'));
  expect(parser.skip(500)).toEqual([{ kind: 'note', code: 'skipped', text: '500 bytes' }]);
  const events = parser.push(encode(' end"}\n{"m":"whole"}\n'));
  expect(messages(events)).toEqual(['whole']);
  expect(parser.transcript().events).toBe(1 + events.length);
});

describe('one line', () => {
  test.each<[string, string, string[]]>([
    ['plain JSON', '{"m":"x"}', ['x']],
    ['with carriage return', '{"m":"x"}\r', ['x']],
    ['behind a cursor escape', '\u001B[2K\r{"m":"x"}', ['x']],
    ['an array', '[{"m":"x"}]', []],
    ['half of it', '{"m":"x', []],
    ['a bare word', 'null', []],
  ])('%s', (_, line, expected) => {
    expect(messages(readAll(encode(line)).events)).toEqual(expected);
  });

  test('that is not of the protocol is a note', () => {
    expect(readAll(encode('Warning: \u001B[31mold\u001B[0m\n\n')).events).toEqual([
      { kind: 'note', code: 'text', text: 'Warning: old' },
    ]);
  });

  test('without a reader JSON is text as well', () => {
    expect(readAll(encode('{"m":"x"}'), [], null).events).toEqual([
      { kind: 'note', code: 'text', text: '{"m":"x"}' },
    ]);
  });

  test('bytes that are not UTF-8 do not cost the rest of the line', () => {
    const bytes = Uint8Array.from([...encode('{"m":"a'), 0xff, ...encode('b"}\n')]);
    expect(messages(readAll(bytes).events)).toEqual(['a\uFFFDb']);
  });
});

test.each([
  ['colour', '\u001B[1;31mred\u001B[0m', 'red'],
  ['title', '\u001B]0;owned\u0007text', 'text'],
  ['link', '\u001B]8;;http://x\u001B\\label\u001B]8;;\u001B\\', 'label'],
  ['eight-bit', '\u009B2Jx', 'x'],
  ['bell and backspace', 'a\u0007\bb', 'ab'],
  ['cut off', 'a\u001B[', 'a'],
  ['tab and line stay', 'a\tb\nc', 'a\tb\nc'],
])('%s is taken out of a text', (_, dirty, clean) => {
  expect(cleanText(dirty)).toBe(clean);
});
