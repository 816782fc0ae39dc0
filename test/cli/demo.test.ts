import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeCli } from './rig.ts';

test('the demo lands a working service through a red test and a conflict, inside its folder', async () => {
  const rig = await makeCli({ init: false });
  const home = join(rig.root, 'demo');
  const ran = await rig.convoy(['demo', '--exit', '--json', '--dir', home]);
  expect(ran).toMatchObject({ code: 0 });
  const { demo } = ran.json;

  expect(demo.convoy.status).toBe('landed');
  expect(demo.tasks.planned).toBe(10);
  expect(demo.tasks.merged).toBe(10 + demo.tasks.added);
  expect(demo.reworked).toHaveLength(1);
  expect(demo.gates.red).toBe(1);
  expect(demo.conflicts).toEqual([
    { task: expect.any(String), files: ['src/app.js'], resolved: true },
  ]);
  expect(demo.review).toEqual({ rejected: 1, approved: 1, fix_tasks: 1 });
  // One attempt for each task, one after the red test, one for the conflict.
  expect(demo.attempts).toBe(demo.tasks.merged + 2);
  expect(demo.landing).toMatchObject({ target: 'main', tasks_contained: demo.tasks.merged });
  expect(demo.service).toMatchObject({
    health: 200,
    saved: { status: 201 },
    visited: { status: 302 },
    hits: 1,
  });

  expect(demo.folder).toBe(join(home, 'demo-1'));
  expect(existsSync(join(demo.repository, '.convoy', 'daemon.json'))).toBe(false);
  expect(readdirSync(rig.root).toSorted()).toEqual(['demo', 'home', 'web']);
  expect(readdirSync(join(rig.root, 'home'))).toEqual(['.gitconfig']);
}, 120_000);
