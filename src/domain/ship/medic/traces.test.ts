import { expect, test } from 'vitest';
import { logLines } from './log-lines.ts';
import { readTraces } from './traces.ts';

test.each([
  [
    'Node',
    'TypeError: x is not a function\n    at run (/srv/app/a.js:3:5)\n    at async file:///srv/app/b.mjs:9:1\n    at node:internal/main:1:2\n',
    'TypeError: x is not a function',
    ['/srv/app/a.js:3', 'file:///srv/app/b.mjs:9', 'node:internal/main:1'],
  ],
  [
    'a stack folded into one JSON line',
    '{"msg":"bad","stack":"Error: lost\\n    at f (/srv/app/a.js:4:1)\\n    at g (/srv/app/b.js:5:1)"}',
    'Error: lost',
    ['/srv/app/a.js:4', '/srv/app/b.js:5'],
  ],
  [
    'Python, innermost call first',
    'Traceback (most recent call last):\n  File "/srv/app/main.py", line 3, in <module>\n    go()\n  File "/srv/app/lib.py", line 7, in go\n    return 1 / 0\nZeroDivisionError: division by zero\n',
    'ZeroDivisionError: division by zero',
    ['/srv/app/lib.py:7', '/srv/app/main.py:3'],
  ],
  [
    'Go',
    'panic: boom\n\ngoroutine 1 [running]:\nmain.f(...)\n\t/srv/app/f.go:6\nmain.main()\n\t/srv/app/main.go:4 +0x1d\n',
    'panic: boom',
    ['/srv/app/f.go:6', '/srv/app/main.go:4'],
  ],
  [
    'Rust today',
    "thread 'main' panicked at src/main.rs:3:20:\nindex out of bounds\n",
    'index out of bounds',
    ['src/main.rs:3'],
  ],
  [
    'Rust before 1.73',
    "thread 'main' panicked at 'no luck', src/main.rs:8:5\n",
    'no luck',
    ['src/main.rs:8'],
  ],
  [
    'Ruby',
    '/srv/app/app.rb:2:in `fetch\': key not found: "A" (KeyError)\n\tfrom /srv/app/run.rb:1:in `<main>\'\n',
    'key not found: "A" (KeyError)',
    ['/srv/app/app.rb:2', '/srv/app/run.rb:1'],
  ],
  [
    'the JVM, by its innermost cause',
    'java.lang.RuntimeException: outer\n\tat com.acme.App.main(App.java:6)\nCaused by: java.lang.IllegalStateException: inner\n\tat com.acme.db.Pool.open(Pool.java:31)\n\t... 3 more\n',
    'java.lang.IllegalStateException: inner',
    ['com/acme/db/Pool.java:31'],
  ],
  [
    'PHP',
    'PHP Fatal error:  Uncaught Error: gone in /srv/app/index.php:3\nStack trace:\n#0 /srv/app/lib.php(9): f()\n#1 {main}\n',
    'Fatal error:  Uncaught Error: gone',
    ['/srv/app/index.php:3', '/srv/app/lib.php:9'],
  ],
  [
    '.NET',
    'Unhandled exception. System.InvalidOperationException: empty\n   at System.Linq.Enumerable.First()\n   at Program.Main() in /srv/app/Program.cs:line 3\n',
    'System.InvalidOperationException: empty',
    ['/srv/app/Program.cs:3'],
  ],
  [
    'Elixir',
    '** (KeyError) key :a not found\n    (svc 0.1.0) lib/svc/cart.ex:3: Svc.Cart.total/1\n    (elixir 1.17.0) lib/enum.ex:9: Enum.map/2\n',
    'KeyError: key :a not found',
    ['lib/svc/cart.ex:3'],
  ],
])('a stack trace of %s is read', (_name, log, message, frames) => {
  const [trace] = readTraces(logLines(log));
  expect(trace?.message).toBe(message);
  expect(trace?.frames.map(({ file, line }) => `${file}:${line}`)).toEqual(frames);
});

test('ordinary output holds no trace', () => {
  const log = 'listening at 3000\nGET / 200\nlook at the docs\nError rate: 0\n';
  expect(readTraces(logLines(log))).toEqual([]);
});
