import { readFileSync, writeFileSync } from 'node:fs';
import { fileLock } from '../../src/adapters/git/lock.ts';
import { ok } from '../../src/lib/result.ts';

/** Adds lines to a file under a lock, or dies holding it. */
const [path = '', counter = '', task = ''] = process.argv.slice(2);
const lock = fileLock(path);

if (task === 'die') {
  await lock(async () => {
    process.kill(process.pid, 'SIGKILL');
    return ok(undefined);
  });
}
for (let done = 0; done < Number(task); done += 1) {
  await lock(async () => {
    const text = readFileSync(counter, 'utf8');
    // Give others the chance to be here at the same time.
    await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(counter, `${text}${text.split('\n').length - 1}\n`);
    return ok(undefined);
  });
}
