import { describe, expect, test } from 'vitest';
import type { Ended } from '../../../ports/executor.ts';
import { judge } from '../judge.ts';
import { outputParser } from '../output-parser.ts';
import { PRESET_NAMES, PRESETS, type PresetName } from './presets.ts';
import { statusIn } from './status-in.ts';

const exit = (code: number): Ended => ({
  status: 'exited',
  how: { kind: 'code', code },
  at: 0,
  output: { bytes: 0, dropped: 0 },
});

function read(preset: PresetName, lines: unknown[]) {
  const parser = outputParser(PRESETS[preset].read);
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const events = [...parser.push(new TextEncoder().encode(text.join('\n'))), ...parser.end()];
  const transcript = parser.transcript();
  return {
    events,
    transcript,
    judged: (code: number) => judge(exit(code), transcript, { tellsCompletion: true }),
  };
}

describe('claude', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's-1', tools: [] };
  const call = {
    type: 'assistant',
    message: {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'tool_use', id: 't1', name: 'Write', input: { file_path: '/w/a', content: 'x' } },
      ],
    },
  };
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    total_cost_usd: 0.5,
    usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 7 },
    permission_denials: [],
    terminal_reason: 'completed',
    result: 'ok',
  };

  test('a good run: session, thought, call, result, cost', () => {
    const { events, transcript, judged } = read('claude', [
      init,
      call,
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'created' }] },
      },
      { type: 'assistant', message: { content: [{ type: 'text', text: 'Done' }] } },
      result,
    ]);
    expect(events).toEqual([
      { kind: 'session', id: 's-1' },
      { kind: 'message', text: 'hm', thinking: true },
      { kind: 'tool-call', id: 't1', tool: 'Write', target: '/w/a' },
      { kind: 'tool-result', id: 't1', outcome: 'ok', text: 'created' },
      { kind: 'message', text: 'Done', thinking: false },
      { kind: 'usage', scope: 'total', tokens: { input: 15, output: 7 }, costUsd: 0.5 },
      { kind: 'note', code: 'turn-completed', text: '' },
    ]);
    expect(transcript).toMatchObject({ session: 's-1', costUsd: 0.5, lastMessage: 'Done' });
    expect(judged(0)).toEqual({ kind: 'finished', doubts: [] });
  });

  test('a model that answers 401 is an error though the subtype says success', () => {
    const lines = [
      init,
      { type: 'system', subtype: 'api_retry', error_status: 401, error: 'authentication_failed' },
      {
        type: 'assistant',
        is_api_error_message: true,
        message: { content: [{ type: 'text', text: 'API Error: 401' }] },
      },
      {
        ...result,
        is_error: true,
        api_error_status: 401,
        terminal_reason: 'api_error',
        result: 'API Error: 401',
      },
    ];
    const { judged, transcript } = read('claude', lines);
    expect(transcript.lastMessage).toBe('');
    expect(judged(1)).toEqual({
      kind: 'failed',
      reason: 'api-error',
      message: 'API Error: 401',
      transient: false,
    });
    expect(judged(0)).toMatchObject({ kind: 'failed', message: 'API Error: 401 (behind exit 0)' });
  });

  test('a busy model is an error that passes', () => {
    const { judged } = read('claude', [
      { ...result, is_error: true, api_error_status: 429, result: 'busy' },
    ]);
    expect(judged(1)).toMatchObject({ reason: 'api-error', transient: true });
  });

  test('refused tools are a doubt, counted once though they are told twice', () => {
    const { judged, transcript } = read('claude', [
      init,
      call,
      {
        type: 'user',
        message: {
          content: [
            { type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'not granted' },
          ],
        },
        tool_result_meta: [{ id: 't1', permission_decision: { decision: 'reject' } }],
      },
      {
        ...result,
        permission_denials: [
          { tool_name: 'Write', tool_use_id: 't1', tool_input: { file_path: '/etc/x' } },
          { tool_name: 'Bash', tool_use_id: 't2', tool_input: { command: 'rm -r /' } },
        ],
      },
    ]);
    expect(transcript.toolResults).toEqual({ ok: 0, failed: 0, refused: 2 });
    expect(judged(0)).toEqual({
      kind: 'finished',
      doubts: [{ kind: 'tools-refused', message: '2 refused: not granted; Bash rm -r /' }],
    });
  });

  test('running out of turns is an error of the agent, not of the model', () => {
    const { judged } = read('claude', [
      { type: 'result', subtype: 'error_max_turns', is_error: false, usage: {} },
    ]);
    expect(judged(0)).toMatchObject({
      reason: 'agent-error',
      message: 'error_max_turns (behind exit 0)',
    });
  });
});

describe('codex', () => {
  const start = [{ type: 'thread.started', thread_id: 'th-1' }, { type: 'turn.started' }];
  const command = {
    id: 'i1',
    type: 'command_execution',
    command: 'bash -c x',
    aggregated_output: 'out',
  };

  test('a good run', () => {
    const { events, judged } = read('codex', [
      ...start,
      { type: 'item.completed', item: { id: 'i0', type: 'error', message: 'unknown model' } },
      { type: 'item.started', item: { ...command, exit_code: null, status: 'in_progress' } },
      { type: 'item.completed', item: { ...command, exit_code: 0, status: 'completed' } },
      {
        type: 'item.completed',
        item: { id: 'i2', type: 'file_change', status: 'completed', changes: [{ path: 'a.ts' }] },
      },
      { type: 'item.completed', item: { id: 'i3', type: 'agent_message', text: 'Done' } },
      { type: 'turn.completed', usage: { input_tokens: 20, output_tokens: 4 } },
    ]);
    expect(events).toEqual([
      { kind: 'session', id: 'th-1' },
      { kind: 'error', code: 'warning', message: 'unknown model', status: null, fatal: false },
      { kind: 'tool-call', id: 'i1', tool: 'command_execution', target: 'bash -c x' },
      { kind: 'tool-result', id: 'i1', outcome: 'ok', text: 'out' },
      { kind: 'tool-call', id: 'i2', tool: 'file_change', target: 'a.ts' },
      { kind: 'tool-result', id: 'i2', outcome: 'ok', text: '' },
      { kind: 'message', text: 'Done', thinking: false },
      { kind: 'usage', scope: 'step', tokens: { input: 20, output: 4 }, costUsd: null },
      { kind: 'note', code: 'turn-completed', text: '' },
    ]);
    expect(judged(0)).toEqual({ kind: 'finished', doubts: [] });
  });

  test('a failed turn fails whatever the exit code, and its status is found in the prose', () => {
    const message = 'unexpected status 401 Unauthorized: no, url: http://x';
    const { judged } = read('codex', [...start, { type: 'turn.failed', error: { message } }]);
    expect(judged(1)).toEqual({ kind: 'failed', reason: 'api-error', message, transient: false });
    expect(judged(0)).toMatchObject({ kind: 'failed', reason: 'api-error' });
  });

  test('a run in which no command worked is doubted: its sandbox may be broken', () => {
    const { judged } = read('codex', [
      ...start,
      { type: 'item.completed', item: { ...command, exit_code: 1, status: 'failed' } },
      { type: 'turn.completed', usage: {} },
    ]);
    expect(judged(0)).toMatchObject({ kind: 'finished', doubts: [{ kind: 'tools-failed' }] });
  });

  test('a reconnection that worked is no failure', () => {
    const { judged } = read('codex', [
      ...start,
      { type: 'error', message: 'Reconnecting... 1/5' },
      { type: 'turn.completed', usage: {} },
    ]);
    expect(judged(0)).toEqual({ kind: 'finished', doubts: [] });
  });
});

const opencodeTool = (state: unknown) => ({
  type: 'tool_use',
  sessionID: 'ses',
  part: { type: 'tool', tool: 'write', callID: 'c1', state },
});
const opencodeFinish = (reason: string) => ({
  type: 'step_finish',
  part: {
    reason,
    tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 5, write: 0 } },
    cost: 0.25,
  },
});

const geminiResult = (more: object) => ({
  type: 'result',
  stats: { input_tokens: 9, output_tokens: 3 },
  ...more,
});

describe('opencode', () => {
  test('a good run adds up its steps', () => {
    const { events, transcript, judged } = read('opencode', [
      { type: 'step_start', sessionID: 'ses', part: {} },
      opencodeTool({ status: 'completed', input: { filePath: '/w/a' }, output: 'wrote' }),
      opencodeFinish('tool-calls'),
      { type: 'text', part: { text: 'Done' } },
      opencodeFinish('stop'),
    ]);
    expect(events).toContainEqual({ kind: 'tool-call', id: 'c1', tool: 'write', target: '/w/a' });
    expect(transcript).toMatchObject({
      session: 'ses',
      tokens: { input: 30, output: 6 },
      costUsd: 0.5,
      lastMessage: 'Done',
    });
    expect(judged(0)).toEqual({ kind: 'finished', doubts: [] });
  });

  test('a rejected tool ends it with exit 0 in the middle: two doubts', () => {
    const { judged } = read('opencode', [
      '\u001B[93m! \u001B[0mpermission requested; auto-rejecting',
      opencodeTool({
        status: 'error',
        input: {},
        error: 'The user rejected permission to use it.',
      }),
      opencodeFinish('tool-calls'),
    ]);
    expect(judged(0)).toMatchObject({
      doubts: [{ kind: 'tools-refused' }, { kind: 'not-completed' }],
    });
  });

  test('an error of the model', () => {
    const error = { name: 'APIError', data: { message: 'busy', statusCode: 529 } };
    const { judged } = read('opencode', [{ type: 'error', error }]);
    expect(judged(1)).toMatchObject({ reason: 'api-error', message: 'busy', transient: true });
  });
});

describe('gemini', () => {
  test('a good run; the echo of the prompt is not its message', () => {
    const { events, judged } = read('gemini', [
      'Warning: basic terminal',
      { type: 'init', session_id: 'g-1' },
      { type: 'message', role: 'user', content: 'the prompt' },
      {
        type: 'tool_use',
        tool_name: 'write_file',
        tool_id: 'w1',
        parameters: { file_path: '/w/a' },
      },
      { type: 'tool_result', tool_id: 'w1', status: 'success' },
      { type: 'message', role: 'assistant', content: 'Done', delta: true },
      geminiResult({ status: 'success' }),
    ]);
    expect(events).toEqual([
      { kind: 'note', code: 'text', text: 'Warning: basic terminal' },
      { kind: 'session', id: 'g-1' },
      { kind: 'tool-call', id: 'w1', tool: 'write_file', target: '/w/a' },
      { kind: 'tool-result', id: 'w1', outcome: 'ok', text: '' },
      { kind: 'message', text: 'Done', thinking: false },
      { kind: 'usage', scope: 'total', tokens: { input: 9, output: 3 }, costUsd: null },
      { kind: 'note', code: 'turn-completed', text: '' },
    ]);
    expect(judged(0)).toEqual({ kind: 'finished', doubts: [] });
  });

  test('an error of the model, whose status is inside the message', () => {
    const message = '[API Error: {"error":{"code":503,"message":"x"}}]';
    const { judged } = read('gemini', [
      geminiResult({ status: 'error', error: { type: 'unknown', message } }),
    ]);
    expect(judged(145)).toMatchObject({ reason: 'api-error', transient: true });
  });

  test('a path outside the workspace is a refusal', () => {
    const { judged } = read('gemini', [
      {
        type: 'tool_result',
        tool_id: 'w',
        status: 'error',
        error: { message: 'Path not in workspace: x' },
      },
      geminiResult({ status: 'success' }),
    ]);
    expect(judged(0)).toMatchObject({ doubts: [{ kind: 'tools-refused' }] });
  });
});

test.each([
  ['last status: 429 Too Many Requests', 429],
  ['{"error":{"code":401}}', 401],
  ['API Error: 529 overloaded', 529],
  ['line 500 of the file', null],
  ['', null],
])('the status in %j is %j', (message, status) => {
  expect(statusIn(message)).toBe(status);
});

describe('command lines', () => {
  test('codex is told of another address as a provider of its own, quoted', () => {
    const line = PRESETS.codex.command({ OPENAI_BASE_URL: 'http://h/v1"x' }, null, []);
    expect(line.join(' ')).toContain('base_url="http://h/v1\\"x"');
    expect(PRESETS.codex.command({}, null, []).join(' ')).not.toContain('base_url');
  });

  test.each(PRESET_NAMES)('%s continues a session', (name) => {
    expect(PRESETS[name].command({}, 'ses-1', [])).toContain('ses-1');
  });

  test("no preset sees another vendor's key, except the one that speaks to all", () => {
    expect(PRESETS.claude.own).not.toContain('OPENAI_API_KEY');
    expect(PRESETS.codex.own).not.toContain('ANTHROPIC_API_KEY');
    expect(PRESETS.gemini.own).not.toContain('OPENAI_API_KEY');
  });
});
