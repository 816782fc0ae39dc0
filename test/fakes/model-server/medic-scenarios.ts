import type { Json, Reply, ToolCall } from './protocol.ts';
import type { Scenario } from './scenarios.ts';

/** What a good medic hands in about the broken shop of the tests. */
export const CONCLUSION = {
  root_cause: 'src/server.js reads DATABASE_URL, which is not set.',
  classification: 'config',
  confidence: 'high',
  owned: 'developer',
  fix: 'Set DATABASE_URL for the service.',
  reproduction: 'Run node src/server.js without DATABASE_URL.',
  evidence: [
    { file: 'src/server.js', line: 2, text: "throw new Error('DATABASE_URL is not set')" },
    { text: 'Error: DATABASE_URL is not set' },
  ],
} as const;

const call = (...calls: ToolCall[]): Reply => ({ kind: 'turn', calls });
const finalize = (more: Json = {}): Reply =>
  call({ name: 'finalize_diagnosis', input: { ...CONCLUSION, ...more } });
const say = (text: string): Reply => ({ kind: 'turn', text });
const status = (code: number): Reply => ({ kind: 'status', status: code });
const read = (path: string): ToolCall => ({ name: 'read_file', input: { path } });

const inTurn =
  (...replies: [Reply, ...Reply[]]): Scenario =>
  ({ request }) =>
    replies[Math.min(request, replies.length) - 1] ?? replies[0];

/** Everything a model may do when it is asked for a diagnosis; each name says what. */
export const MEDIC_SCENARIOS = {
  happy: inTurn(
    call({ name: 'read_log_tail', input: { lines: 50 } }),
    call(read('src/server.js')),
    call({ name: 'grep_repo', input: { text: 'DATABASE_URL' } }),
    call({ name: 'list_changes', input: {} }),
    finalize(),
  ),
  parallel: inTurn(
    call(
      { name: 'read_log_tail', input: {} },
      read('src/server.js'),
      { name: 'grep_repo', input: { text: 'database_url|PORT' } },
      { name: 'list_changes', input: { file: 'src/server.js' } },
    ),
    finalize(),
  ),
  'invalid-once': inTurn(finalize({ classification: 'cosmic rays' }), finalize()),
  'invalid-twice': inTurn(finalize({ owned: 'the cat' })),
  'late-and-invalid': ({ request }) => {
    if (request < 5) return call(read('src/server.js'));
    return request === 5 ? finalize({ confidence: 0.9 }) : finalize();
  },
  'never-finalizes': inTurn(call(read('src/server.js'))),
  'text-only': inTurn(say('It is probably the database.')),
  'text-then-finalize': inTurn(say('I think I know.'), finalize()),
  'says-no': inTurn({ kind: 'turn', text: 'I will not.', stop: 'refused' }),
  'unknown-tool': inTurn(call({ name: 'write_file', input: { path: 'x' } }), finalize()),
  'bad-json': inTurn(call({ name: 'read_file', raw: '{"path":' }), finalize()),
  'wrong-input': inTurn(
    call({ name: 'read_file', input: { path: 7 } }, { name: 'grep_repo', input: {} }),
    finalize(),
  ),
  traversal: inTurn(
    call(
      read('../../../etc/passwd'),
      read('/etc/passwd'),
      read('.env'),
      read('.git/config'),
      read('link-out'),
      read('src/\0server.js'),
      { name: 'grep_repo', input: { text: 'hunter2', under: '../' } },
    ),
    finalize({
      evidence: [
        { file: '../../../etc/passwd', line: 1, text: 'root' },
        { file: '.env', line: 1, text: 'PASSWORD' },
        ...CONCLUSION.evidence,
      ],
    }),
  ),
  'makes-things-up': inTurn(
    finalize({
      evidence: [
        { file: 'src/server.js', line: 4000, text: 'boom()' },
        { file: 'src/missing.js', line: 1, text: 'boom()' },
        { text: 'FATAL: the moon is full' },
      ],
    }),
  ),
  miscounts: inTurn(
    finalize({
      evidence: [
        { file: '/run/copy/src/server.js', line: 4, text: "throw new Error('DATABASE_URL" },
      ],
    }),
  ),
  'sends-a-patch': inTurn(
    finalize({
      fix: 'Set a default:\n```js\nconst url = "x";\n```\ndiff --git a/src/server.js b/src/server.js\n--- a/src/server.js\n+++ b/src/server.js\n@@ -1 +1 @@\n-old\n+new\nThen deploy.',
      patch: '--- a/src/server.js',
    }),
  ),
  'claims-our-file': inTurn(
    finalize({
      owned: 'convoy',
      evidence: [{ file: 'Dockerfile', line: 2, text: 'CMD' }],
    }),
  ),
  'claims-their-file': inTurn(finalize({ owned: 'convoy' })),
  leaks: inTurn(
    call({ name: 'grep_repo', input: { text: 'sesame-open-please' } }, read('src/config.js')),
    {
      kind: 'turn',
      text: 'The password sesame-open-please is in the file.',
      calls: [
        {
          name: 'finalize_diagnosis',
          input: { ...CONCLUSION, root_cause: 'The key sesame-open-please is wrong.' },
        },
      ],
    },
  ),
  'busy-once': inTurn(status(429), finalize()),
  'busy-for-ever': inTurn(status(429)),
  overloaded: inTurn(status(529)),
  broken: inTurn(status(500)),
  'no-key': inTurn(status(401)),
  garbage: inTurn({ kind: 'garbage' }),
  slow: inTurn({ kind: 'wait', ms: 300, reply: finalize() }),
  stalls: inTurn({ kind: 'turn', text: 'I am', ending: 'stall' }, finalize()),
  hangs: inTurn({ kind: 'hang' }),
  'dear-turns': inTurn({
    kind: 'turn',
    text: 'Looking.',
    calls: [read('src/server.js')],
    tokens: { input: 149_000, output: 900 },
  }),
} satisfies Readonly<Record<string, Scenario>>;
