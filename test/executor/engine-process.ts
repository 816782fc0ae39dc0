// A stand-in for the engine: starts one execution, says so, and stays until it is killed. Further sources run
// before it, each to its end.
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { executionId } from '../../src/ports/executor.ts';

const [directory = '', id = '', cwd = '', source = '', ...before] = process.argv.slice(2);
const executor = localExecutor({ directory, node: process.execPath });
const start = (name: string, script: string) =>
  executor.start({
    id: executionId(name),
    argv: ['/bin/sh', '-c', script],
    cwd,
    env: { PATH: '/usr/bin:/bin' },
  });
for (const [at, script] of before.entries()) {
  await start(`${id}-${at}`, script);
  await executor.exit(executionId(`${id}-${at}`));
}
await start(id, source);
process.stdout.write('started\n');
setInterval(() => {}, 60_000);
