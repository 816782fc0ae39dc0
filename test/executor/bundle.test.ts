import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { executionId } from '../../src/ports/executor.ts';

test('it works from one bundled, minified file, with no source beside it', async () => {
  const place = await mkdtemp(join(tmpdir(), 'convoy-bundle-'));
  try {
    const outfile = join(place, 'engine.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'engine-process.ts')],
      outfile,
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
    });
    const runs = join(place, 'runs');
    const engine = spawn(process.execPath, [outfile, runs, 'run', place, 'echo hi; exit 4'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(engine.stdout, 'data');
    engine.kill('SIGKILL');
    const executor = localExecutor({ directory: runs, node: process.execPath });
    expect(await executor.exit(executionId('run'))).toMatchObject({
      how: { kind: 'code', code: 4 },
      output: { bytes: 3 },
    });
  } finally {
    await rm(place, { recursive: true });
  }
});
