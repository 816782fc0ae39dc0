import { openRepository } from '../../src/adapters/git/open.ts';

/** Lands a commit in a process of its own and kills that process at the named step. */
const [repo = '', cacheDir = '', target = '', to = '', from = '', dieAt = ''] =
  process.argv.slice(2);

const opened = await openRepository({
  path: repo,
  cacheDir,
  checkpoint: (step) => {
    if (step === dieAt) process.kill(process.pid, 'SIGKILL');
  },
});
if (!opened.ok) throw new Error(JSON.stringify(opened.error));
const done = await opened.value.landing.advance(target, to, from);
process.stdout.write(JSON.stringify(done));
