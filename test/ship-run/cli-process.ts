import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../src/cli/main.ts';
import { doors } from '../../src/daemon/host.ts';

// The command line from its sources, as the launcher starts it.
const root = join(import.meta.dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const launcher = [process.execPath, join(root, 'bin', 'convoy.js')] as const;
const code = await main(process.argv.slice(2), {
  ...doors(version, launcher),
  version,
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: Date.now,
  onInterrupt: (listener) => {
    process.on('SIGINT', listener);
    return () => process.off('SIGINT', listener);
  },
});
process.exit(code);
