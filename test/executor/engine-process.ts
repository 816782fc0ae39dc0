// A stand-in for the engine: starts one execution, says so, and stays until it is killed.
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { executionId } from '../../src/ports/executor.ts';

const [directory = '', id = '', cwd = '', source = ''] = process.argv.slice(2);
const executor = localExecutor({ directory, node: process.execPath });
await executor.start({
  id: executionId(id),
  argv: ['/bin/sh', '-c', source],
  cwd,
  env: { PATH: '/usr/bin:/bin' },
});
process.stdout.write('started\n');
setInterval(() => {}, 60_000);
