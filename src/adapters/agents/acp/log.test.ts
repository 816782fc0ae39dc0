import { expect, test, vi } from 'vitest';
import { logTo } from './log.ts';

const chunk = (text: string, sessionUpdate = 'agent_message_chunk') => ({
  sessionUpdate,
  content: { type: 'text', text },
});

function logged() {
  const lines: unknown[] = [];
  return { log: logTo((line) => lines.push(JSON.parse(line))), lines };
}

test('pieces of a message become one line, in their place among the others', () => {
  const { log, lines } = logged();
  log.update(chunk('Hel'));
  log.update(chunk('lo'));
  log.update(chunk('hm', 'agent_thought_chunk'));
  log.text('printed');
  expect(lines).toEqual([
    { type: 'update', update: chunk('Hello') },
    { type: 'update', update: chunk('hm', 'agent_thought_chunk') },
    { type: 'text', text: 'printed' },
  ]);
});

test('a long or slow message is not kept back', () => {
  vi.useFakeTimers();
  try {
    const { log, lines } = logged();
    log.update(chunk('x'.repeat(20_000)));
    expect(lines).toHaveLength(1);
    log.update(chunk('slow'));
    vi.advanceTimersByTime(5000);
    expect(lines).toHaveLength(2);
    log.flush();
    expect(lines).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});
